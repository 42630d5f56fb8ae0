import pytest

from gpocli.maths.forms import Collection, Expression, Relation, Rounded
from gpocli.maths.number import Quantity
from gpocli.maths.reading import read

ONE, TWO = Quantity(1), Quantity(2)


@pytest.mark.parametrize(
    "text",
    [
        "f(3) = 2",
        "|AB| = 2",
        r"\angle ABC = 2",
        "[ABC] = 2",
        r"\overline{AB} = 2",
        "2 = x",
        r"x \approx 2",
        "g(f(1)) = 2",
    ],
)
def test_what_only_names_its_value(text):
    form = read(text)
    assert isinstance(form, Relation)
    assert form.name
    assert form.value == TWO


@pytest.mark.parametrize("text", ["2x = 2", "x^2 = 2", "x+1 = 2", r"\sqrt{x} = 2", "-x = 2", "x(3) = 2", "2 = 11a+c"])
def test_an_equation_is_no_name(text):
    form = read(text)
    assert isinstance(form, Relation)
    assert (form.name, form.value, form.total) == ("", None, None)


def test_a_sum_of_names_is_a_number_but_no_name():
    form = read("m + n = 2")
    assert isinstance(form, Relation)
    assert (form.name, form.total) == ("", TWO)


def test_derivatives_are_names_without_spaces():
    first, second = read(r"\frac{dx}{dt} = kx - a"), read(r"\dfrac{d x}{d t}=kx - a")
    assert isinstance(first, Relation)
    assert isinstance(second, Relation)
    assert (first.name, first.value) == (second.name, second.value) == (r"\frac{dx}{dt}", Expression("kx - a"))


def test_rounded_values_keep_their_decimal_places():
    assert read(r"\sqrt{2} \approx 1.41") == Rounded(Expression(r"\sqrt{2}"), read("1.41"), 2)
    assert read(r"x = \sqrt{2} \approx 1.41") == Rounded(Expression(r"\sqrt{2}"), read("1.41"), 2)
    assert read(r"1 \approx \frac{1}{2}").places is None


@pytest.mark.parametrize(
    ("text", "opening", "closing", "ends"),
    [
        ("x > 1", "(", ")", (ONE, Expression(r"\infty"))),
        (r"x \le 1", "(", "]", (Expression(r"-\infty"), ONE)),
        (r"2 > x \ge 1", "[", ")", (ONE, TWO)),
        (r"\{x \mid 1 < x \le 2\}", "(", "]", (ONE, TWO)),
    ],
)
def test_inequalities_know_their_interval(text, opening, closing, ends):
    assert read(text).interval == Collection(opening, closing, ends)


@pytest.mark.parametrize("text", ["2x > 1", "1 < 2", r"x \ne 1", "1 < x > 2"])
def test_others_have_none(text):
    assert getattr(read(text), "interval", None) is None
