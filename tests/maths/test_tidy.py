import pytest

from gpocli.maths.tidy import tidy


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("**5**", "5"),
        ("**5", "5"),
        ("`5`", "5"),
        ("$5$.", "5"),
        (r"\( 5 \)", "5"),
        (r"\[5\]", "5"),
        ("$$5$$", "5"),
        ("$5", "¤5"),
        (r"\$5", "¤5"),
        (r"$\$5$", "¤5"),
        (r"\dfrac12", r"\frac{1}{2}"),
        (r"\frac 59", r"\frac{5}{9}"),
        (r"\frac9{19}", r"\frac{9}{19}"),
        (r"\frac{\sqrt3}2", r"\frac{\sqrt{3}}{2}"),
        ("sqrt(2)/2", r"\sqrt{2}/2"),
        (r"\sqrt[3]2", r"\sqrt[3]{2}"),
        ("x^10", "x^{10}"),
        ("x^-1", "x^{-1}"),
        ("x**2", "x^{2}"),
        ("2^(n+1)", "2^{n+1}"),
        ("x_12", "x_{12}"),
        (r"\left(1, 2\right]", "(1, 2]"),
        (r"\mathrm{e}", "e"),
        (r"5\mbox{ cm}", r"5\text{ cm}"),
        (r"x \leq 3", r"x \le 3"),
        ("x >= 3", r"x \ge 3"),
        ("±9", r"\pm 9"),
        ("+-9", r"\pm 9"),
        ("5+-9", "5+-9"),
        (r"11,\! 111", "11,111"),
        (r"1 \\ 2", "1 ↵ 2"),
    ],
)
def test_one_spelling(text, tidied):
    assert tidy(text) == tidied
