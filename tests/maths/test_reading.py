import pytest

from gpocli.maths.brackets import TooLarge
from gpocli.maths.forms import Collection, Expression, Matrix, Relation, Union, Word
from gpocli.maths.number import Quantity
from gpocli.maths.reading import read

ONE, TWO = Quantity(1), Quantity(2)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1", ONE),
        ("(1)", ONE),
        ("{1}", ONE),
        ("east", Word("east", plain=True)),
        (r"\text{New York}", Word("New York", plain=False)),
        ("New York", Word("New York", plain=True)),
        ("(C)", Word("C", plain=False)),
        ("52_8", Word("52_8", plain=False)),
        ("10:30", Word("10:30", plain=False)),
        ("2x", Expression("2x")),
        ("sin(x)", Expression(r"\sin (x)")),
        (r"2\sqrt3\text{ cm}", Expression(r"2\sqrt{3}", "centimeter")),
        ("1, 2", Collection("", "", (ONE, TWO))),
        ("1 and 2", Collection("", "", (ONE, TWO))),
        ("1,000, 2", Collection("", "", (Quantity(1000), TWO))),
        ("(1, 2]", Collection("(", "]", (ONE, TWO))),
        ("(1,2)", Collection("(", ")", (ONE, TWO))),
        (r"\{1\}", Collection("{", "}", (ONE,))),
        (r"\{\pm 1\}", Collection("{", "}", (ONE, Quantity(-1)))),
        (r"\pm 1", Collection("", "", (ONE, Quantity(-1)))),
        ("x = 1", Relation(("x", "1"), ("=",), "x", ONE)),
        ("f(x) = 1 = 1", Relation(("f(x)", "1", "1"), ("=", "="), "f(x)", ONE)),
        ("Total cost = 1", Relation(("Total cost", "1"), ("=",), "Total cost", ONE)),
        ("2 - 1 = 1", ONE),
        ("x < 1", Relation(("x", "1"), ("<",), interval=Collection("(", ")", (Expression(r"-\infty"), ONE)))),
        ("2x = 1", Relation(("2x", "1"), ("=",))),
        (r"x \in (1,2)", Collection("(", ")", (ONE, TWO))),
        (r"[1,2) \cup \{1\}", Union((Collection("[", ")", (ONE, TWO)), Collection("{", "}", (ONE,))))),
        (r"\begin{pmatrix} 1 & 2 \\ 2 & 1 \end{pmatrix}", Matrix(((ONE, TWO), (TWO, ONE)))),
        (r"\emptyset", Word("empty set", plain=False)),
    ],
)
def test_forms(text, form):
    assert read(text) == form


@pytest.mark.parametrize("text", ["", " ", "$$", "2 +* #", "(1", "1)", "= =", "x =", "1 2 3 4", "?", "\x0crac{1}{2}"])
def test_what_cannot_be_read_is_none(text):
    assert read(text) is None


@pytest.mark.parametrize("text", ["x" * 2001, "(" * 31 + "1" + ")" * 31, "2^{3^{4^{5}}}", "9^(9^(9^9))"])
def test_what_is_too_large_is_not_read(text):
    with pytest.raises(TooLarge):
        read(text)


def test_powers_of_powers_are_not_too_large():
    assert read("2^{2^{n}}") == Expression("2^{2^{n}}")
