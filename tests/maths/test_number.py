from fractions import Fraction

import pytest

from gpocli.maths.brackets import TooLarge
from gpocli.maths.number import Quantity, read_number, simple_number
from gpocli.maths.tidy import tidy


def read(text):
    return read_number(tidy(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7), ("-7", -7), ("+7", 7), ("- 7", -7), ("−7", -7), ("007", 7), ("7.0", 7), ("7.", 7),
        (".5", Fraction(1, 2)), ("1,250", 1250), ("1 250", 1250),
        ("12,345,678.5", Fraction(24691357, 2)), ("1{,}250", 1250), (r"1\,250", 1250),
        (r"10,\!080", 10080), ("1.250", Fraction(5, 4)),
        ("3/8", Fraction(3, 8)), (r"\frac38", Fraction(3, 8)), (r"-\tfrac{3}{8}", Fraction(-3, 8)),
        (r"\frac{-3}{8}", Fraction(-3, 8)), (r"\frac{270}7", Fraction(270, 7)), ("10/2", 5), ("1.5/0.5", 3),
        ("1 1/2", Fraction(3, 2)), (r"137 \frac{1}{2}", Fraction(275, 2)), (r"-1\frac12", Fraction(-3, 2)),
        ("½", Fraction(1, 2)), ("1½", Fraction(3, 2)),
        (r"0.\overline{3}", Fraction(1, 3)), (r"1.2\overline{34}", Fraction(611, 495)),
        ("1.25e3", 1250), ("1e-2", Fraction(1, 100)), (r"1.25 \times 10^{3}", 1250), ("1.25*10^-2", Fraction(1, 80)),
        ("10^3", 1000), ("about 7", 7), ("= 7", 7), ("approximately 7.5", Fraction(15, 2)), ("negative 7", -7),
        ("2 million", 2_000_000), (r"2.5 \text{ thousand}", 2500),
    ],
)  # fmt: skip
def test_numbers_are_exact(text, value):
    assert read(text) == Quantity(value)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("$5", 5, "dollar"),
        (r"-\$1,250.50", Fraction(-2501, 2), "dollar"),
        ("$-5", -5, "dollar"),
        ("5 USD", 5, "dollar"),
        ("€5", 5, "euro"),
        ("50%", 50, "percent"),
        (r"50\%", 50, "percent"),
        ("50 percent", 50, "percent"),
        (r"90^\circ", 90, "degree"),
        ("90°", 90, "degree"),
        (r"90^{\circ}", 90, "degree"),
        ("90 degrees", 90, "degree"),
        (r"20^\circ C", 20, "degree C"),
        ("5cm", 5, "centimeter"),
        ("5 cm^2", 5, "centimeter^2"),
        (r"15\mbox{ cm}^2", 15, "centimeter^2"),
        (r"\text{15 cm}", 15, "centimeter"),
        ("5 square feet", 5, "foot^2"),
        (r"5.4 \text{ cents}", Fraction(27, 5), "cent"),
        ("60 km/h", 60, "kilometer/hour"),
        ("12 eggs a day", 12, "egg a day"),
        ("2 million people", 2_000_000, "people"),
    ],
)
def test_units_are_told_apart_from_numbers(text, value, unit):
    assert read(text) == (Quantity(value, unit) if unit else None)


@pytest.mark.parametrize(
    "text",
    ["", "x", "5x", "5 x", "5 xy", "5 abc", "5m", "1,25", "1,2", "12,3456", "5 or 6", "5 plus four", "5 and six", "2+3",
     "1/0", "5/", "5..5", "5!", "5 sin", "(5)", "5 6", "1e", "10:30", "five"],
)  # fmt: skip
def test_what_is_more_or_less_than_a_number_is_none(text):
    assert read(text) is None


@pytest.mark.parametrize("text", ["9" * 500, "1e401", r"2 \times 10^{500}", "0." + "3" * 500])
def test_huge_numbers_are_too_large(text):
    with pytest.raises(TooLarge):
        read(text)


@pytest.mark.parametrize(("text", "value"), [("7", 7), (" 7\n", 7), ("$7$", 7), ("**7**", 7), ("`-7`", -7), ("7.", 7)])
def test_whole_numbers_have_a_fast_way(text, value):
    assert simple_number(text) == Quantity(value) == read(text)


@pytest.mark.parametrize("text", ["$7", "7$", "7.5", "7 cm", "", "x", "-", "7 7", "1,000"])
def test_the_fast_way_takes_nothing_else(text):
    assert simple_number(text) is None
