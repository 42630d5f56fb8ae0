"""Choices as lines with letters, and the letter of the right one."""

import pytest

from gpocli.columns.choices import letter, lettered


@pytest.mark.parametrize(
    "value",
    [
        ["Bern", "Oslo"],
        {"A": "Bern", "B": "Oslo"},
        {"text": ["Bern", "Oslo"], "label": ["A", "B"]},
    ],
    ids=["MMLU", "MedQA", "ARC"],
)
def test_choices_are_lines_with_letters(value):
    assert lettered(value) == "A. Bern\nB. Oslo"


def test_labels_and_numbers_are_kept_as_they_are():
    assert lettered({"text": [4, 0.5], "label": ["1", "2"]}) == "1. 4\n2. 0.5"


@pytest.mark.parametrize("value", [[], ["one"], [None, "a"], [["a"], "b"], "A. Bern", None, 5, ["a"] * 27, {}])
def test_what_is_no_list_of_choices_gives_nothing(value):
    assert lettered(value) is None


def test_labels_that_are_too_few_give_nothing():
    assert lettered({"text": ["a", "b"], "label": ["A"]}) is None


@pytest.mark.parametrize(
    ("value", "result"),
    [(0, "A"), (25, "Z"), ("3", "D"), (26, None), (-1, None), (True, None), ("B", None), (1.0, None), (None, None)],
)
def test_a_number_counted_from_0_is_a_letter(value, result):
    assert letter(value) == result
