"""Which completion is shown, what is said of it, and that its text cannot do anything to a terminal."""

from itertools import pairwise

import pytest
from rich.cells import cell_len

from gpocli.display.sample import both_ends, end_of, pick, printable, told
from tests.display.test_run_view import candidate

BATCH = [candidate(number, "kept" if number < 2 else "rejected") for number in range(6)]


def test_kept_and_other_ones_take_turns_and_all_get_theirs():
    seen = [pick(BATCH, turn) for turn in range(1, 9)]
    assert [one.kept for one in seen] == [True, False] * 4
    assert {one.candidate for one in seen if not one.kept} == {2, 3, 4, 5}
    assert all(one is not other for one, other in pairwise(seen))


def test_where_all_are_kept_each_step_has_another_one():
    kept = [candidate(number, "kept") for number in range(5)]
    assert len({pick(kept, turn).candidate for turn in range(5)}) == 5
    assert pick([], 1) is None


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (candidate(0, "kept"), ["kept", "reward 1.000", "advantage +0.50", "20 tokens"]),
        (candidate(0, "rejected", reward=None, finished=False), ["rejected", "20 tokens, cut"]),
        (candidate(0, "lost", reward=None, finished=False), ["lost", "20 tokens"]),
    ],
)
def test_what_became_of_it(record, words):
    assert told(record) == words


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb", "a⏎b"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\r\t\x07\x9b\u200e\u2028\ud83d", "\\r\\t\\x07\\x9b\\u200e\\u2028\\ud83d"),
        ("é長 ", "é長 "),
    ],
)
def test_a_text_is_one_line_that_does_nothing(text, line):
    assert printable(text) == line


def test_of_a_long_text_both_ends_are_shown():
    assert both_ends("0123456789", 10) == "0123456789"
    assert both_ends("01234567890", 10) == "0123 … 890"
    assert both_ends("a" * 10**6 + "b" * 10**6, 9) == "aaa … bbb"
    assert end_of("0123456789", 4) == "6789"


@pytest.mark.parametrize("width", range(12))
def test_wide_characters_are_counted_by_their_cells(width):
    assert cell_len(both_ends("長い文章です" * 9, width, gap="…")) <= max(width, 1)
    assert cell_len(end_of("長い文章です", width)) <= width
