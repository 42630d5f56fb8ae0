"""Values in messages."""

import pytest

from gpocli.spec.wording import kind_of, number, shown


@pytest.mark.parametrize(("value", "text"), [(3, "3"), (3.0, "3"), (1e-6, "1e-06"), (0.25, "0.25")])
def test_numbers(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "'a'"),
        ("x" * 61, f"'{'x' * 57}...'"),
        (True, "true"),
        (None, "null"),
        (2.0, "2"),
        ([1], "a list"),
        ({}, "a mapping"),
        (1j, "a value of type complex"),
    ],
)
def test_values(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "kind"), [(True, "a truth value"), (1, "a number"), ("1", "text"), ([], "not a single value")]
)
def test_kinds(value, kind):
    assert kind_of(value) == kind
