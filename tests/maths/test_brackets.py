"""Brackets: where they close, what stands outside them, and how much of them is too much."""

import re

import pytest

from gpocli.maths.brackets import (
    MAX_DEPTH,
    MAX_LENGTH,
    TooLarge,
    balanced,
    check_size,
    check_towers,
    enclosed,
    matching,
    split_outside,
)


@pytest.mark.parametrize("text", ["x" * MAX_LENGTH, "(" * MAX_DEPTH, "()" * 100, ")" * 100])
def test_what_can_be_read(text):
    check_size(text)


@pytest.mark.parametrize("text", ["x" * (MAX_LENGTH + 1), "(" * (MAX_DEPTH + 1), "[{(" * 11])
def test_what_is_too_large(text):
    with pytest.raises(TooLarge):
        check_size(text)


@pytest.mark.parametrize(
    ("text", "too_high"), [("2^{2^{2}}", False), ("2^{2^{2^{2}}}", True), ("2^{(2)}^{(2)}", False)]
)
def test_towers_of_powers(text, too_high):
    if too_high:
        with pytest.raises(TooLarge, match="3 high"):
            check_towers(text)
    else:
        check_towers(text)


@pytest.mark.parametrize(
    ("text", "start", "place"),
    [("(a(b)c)d", 0, 6), ("(a(b)c)d", 2, 4), ("{a[}b]", 0, 3), (r"{\}}", 0, 3), ("(a", 0, None)],
)
def test_the_place_where_a_bracket_closes(text, start, place):
    assert matching(text, start) == place


@pytest.mark.parametrize(
    ("text", "whole"),
    [("(a)", True), ("(a)(b)", False), ("((a)", False), ("[1,2)", True), ("(a)b", False), ("", False)],
)
def test_a_text_within_one_pair(text, whole):
    assert enclosed(text) == whole


@pytest.mark.parametrize(("text", "fine"), [("([]){}", True), ("([)]", False), ("(", False), (")", False), ("", True)])
def test_balanced(text, fine):
    assert balanced(text) == fine


def test_only_separators_outside_brackets_split():
    assert split_outside("a, (b, c) ;d", re.compile("[,;]")) == (["a", "(b, c)", "d"], [",", ";"])
