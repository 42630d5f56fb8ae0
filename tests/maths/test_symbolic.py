import pytest

from gpocli.maths.symbolic import TooMuch, is_near, is_value, same_relation, same_value


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x+1", "1+x"),
        (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt{2}}{2}"),
        ("0.1x", r"\frac{x}{10}"),
        (r"\sqrt{x^{2}}", "|x|"),
        ("i^{2}", "-1"),
        (r"\frac{x^{2}-1}{x-1}", "x+1"),
        (r"10^{100}+1", r"1+10^{100}"),
    ],
)
def test_equal_values(first, second):
    assert same_value(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1-1/e", "1+1/e"),
        ("1/3^{50}", "1/3^{49}"),
        (r"\pi", "3.141592653589793"),
        (r"\pi/10^{90}", r"\pi/10^{91}"),
        (r"10^{100}+1", r"10^{100}"),
        (r"\sqrt{2}+10^{-60}", r"\sqrt{2}"),
        ("x", "y"),
        ("x", "X"),
        (r"\sqrt{x^{2}}", "x"),
        ("f(x)", "f(y)"),
        ("5 m", "5"),
        (r"\infty", r"-\infty"),
        ("x", "x +"),
    ],
)
def test_different_values(first, second):
    assert not same_value(first, second)


@pytest.mark.parametrize("latex", [r"\frac{dy}{dx}", r"(2x)^\circ", "x +", "1/0", "1, 2", "x = 1", r"\begin{", ""])
def test_what_is_no_value(latex):
    assert not is_value(latex)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ((["2x+y", "0"], ["="]), (["4x", "-2y"], ["="]), True),
        ((["2x+y", "0"], ["="]), (["5x-3y", "0"], ["="]), False),
        ((["x", "2"], [">"]), (["2", "x"], ["<"]), True),
        ((["x", "2"], [">"]), (["-x", "-2"], ["<"]), True),
        ((["x", "2"], [">"]), (["x", "2"], ["<"]), False),
        ((["x", "2"], [">"]), (["x", "2"], [r"\ge"]), False),
        ((["1", "x", "2"], ["<", r"\le"]), (["2", "x", "1"], [r"\ge", ">"]), True),
        ((["1", "x", "2"], ["<", r"\le"]), (["1", "x", "2"], [r"\le", "<"]), False),
        ((["1", "1"], ["="]), (["2", "2"], ["="]), False),
        ((["x", "+"], ["="]), (["x", "+"], ["="]), False),
    ],
)
def test_relations(first, second, same):
    assert same_relation(*first, *second) is same


@pytest.mark.parametrize("latex", [r"9^{9^{9}}", r"(10^{9})!", r"2^{1000000}"])
def test_large_powers_are_not_computed(latex):
    with pytest.raises(TooMuch):
        same_value(latex, "1")


def test_near_is_less_than_the_distance_away():  # the root of 2 is 1.41421...
    assert is_near(r"\sqrt{2}", "141/100", "1/100")
    assert not is_near(r"\sqrt{2}", "141/100", "1/1000")
    assert not is_near("x", "1", "1")
    assert not is_near("2 +", "2", "1")
