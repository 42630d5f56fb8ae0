import pytest

from gpocli.maths.fonts import without_fonts


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"\text{42}", "42"),
        (r"\mathbf{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boldsymbol{x}", "x"),
        (r"{\bf 42}", "{42}"),
        (r"\textcolor{red}{42}", "{42}"),
        (r"2\mathbf{4}", "2{4}"),
        (r"\mathbf{4}^2", "{4}^2"),
        (r"\text{42 apples}", "42 apples"),
        (r"\text{A, C}", "A, C"),
        (r"\mathbf{42.}", "42"),
    ],
)
def test_numbers_and_formulas_stand_in_no_font(text, plain):
    assert without_fonts(text) == plain


@pytest.mark.parametrize("text", ["42", r"\text{Evelyn}", r"5\text{ cm}", r"\mathrm{km}", r"\text{42", r"\frac{1}{2}"])
def test_words_stay_marked(text):
    assert without_fonts(text) == text
