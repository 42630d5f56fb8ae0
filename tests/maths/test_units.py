import pytest

from gpocli.maths.units import unit_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", ""),
        (" %", "percent"),
        ("¤", "dollar"),
        (r"^\circ", "degree"),
        (" red apples", "red apple"),
        (" more apples", "apple"),
        (" of the apples", "the apple"),
        (" (apples)", "apple"),
        (r"\text{ km}/\text{h}", "kilometer/hour"),
        (r"\frac{\text{m}}{\text{s}}", "meter/second"),
        (" kilometers per hour", "kilometer/hour"),
        (" square inches", "inch^2"),
        (" cm squared", "centimeter^2"),
    ],
)
def test_units_have_one_name(text, name):
    assert unit_name(text) == name


DOUBTFUL = [" squared", " tenths", " maybe thirteen", " less than the other", " times as many", r"\text{ or }"]
PRODUCTS = [" xy", " abc", "x", " (x)", r"\text{ km}/2"]


@pytest.mark.parametrize("text", [*DOUBTFUL, *PRODUCTS, " (not apples)", " twenty-fifths", " dozens", " four of a b c"])
def test_what_may_change_the_number_is_no_unit(text):
    assert unit_name(text) is None
