"""Rows by their worth, and pairs that flow."""

import pytest
from rich.text import Text

from gpocli.display.rows import Row, fitted, flowed, spread


def row(place, *lines):
    return Row(place, [Text(line) for line in lines])


@pytest.mark.parametrize(
    ("height", "lines"),
    [
        (None, ["c1", "c2", "a", "b"]),
        (4, ["c1", "c2", "a", "b"]),
        (3, ["a", "b"]),  # of c there is no room for both lines
        (1, ["a"]),
        (0, []),
    ],
)
def test_the_least_worth_goes_first_and_the_order_stays(height, lines):
    assert [line.plain for line in fitted([row(3, "c1", "c2"), row(1, "a"), row(2, "b"), row(0)], height)] == lines


def test_what_is_worth_less_than_a_row_without_room_is_not_shown():
    assert [line.plain for line in fitted([row(1, "a"), row(2, "b1", "b2"), row(3, "c")], 2)] == ["a"]


def test_pairs_flow_into_lines_and_none_is_broken():
    pairs = [("a", "1"), ("bb", "22"), ("c", "3")]
    assert [line.plain for line in flowed(pairs, 11)] == ["a 1   bb 22", "c 3"]
    assert [line.plain for line in flowed(pairs, 10)] == ["a 1", "bb 22", "c 3"]
    assert flowed([], 10) == []


def test_two_texts_stand_at_the_ends_of_a_line():
    assert spread(Text("left"), Text("right"), 12).plain == "left   right"
    assert spread(Text("left and more"), Text("right"), 12).plain == "left … right"
