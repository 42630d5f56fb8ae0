"""Sections are strict and frozen, and tell all faults of their rules at once."""

import pytest
from pydantic import ValidationError

from gpocli.settings.section import Section, rule


class Inner(Section):
    low: int = 0
    high: int = 1

    @rule("low", "high")
    def low_is_below_high(self):
        return None if self.low < self.high else f"{self.low} is not below {self.high}"


class Outer(Inner):
    inner: Inner = Inner()
    name: str = "a"

    @rule("name", "inner.low")
    def names_and_numbers(self):
        return {"name": "is taken" if self.name == "b" else None, "inner.low": "is odd" if self.inner.low % 2 else None}


def faults(**values):
    with pytest.raises(ValidationError) as caught:
        Outer(**values)
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


@pytest.mark.parametrize("values", [{"lwo": 1}, {"low": "1"}, {"low": 1.0}, {"high": float("nan")}])
def test_nothing_unknown_and_nothing_of_another_type(values):
    assert len(faults(**values)) == 1


def test_a_section_does_not_change():
    with pytest.raises(ValidationError):
        Outer().low = 3


def test_a_rule_speaks_at_the_first_field_that_it_reads():
    assert faults(low=2) == [(("low",), "2 is not below 1")]


def test_all_rules_inherited_ones_too_are_told_at_once():
    assert faults(low=2, name="b", inner={"low": 1, "high": 5}) == [
        (("low",), "2 is not below 1"),
        (("name",), "is taken"),
        (("inner", "low"), "is odd"),
    ]


def test_what_holds_is_no_fault():
    assert Outer(low=0, inner=Inner(low=2, high=3)).inner.high == 3
