"""Answers come in order, however many are drawn at a time."""

import pytest

from gpocli.asking.answers import Teller, portions
from gpocli.rollout.race import Board

END = 9


@pytest.mark.parametrize("at_once", [1, 2, 3, 4, 5, 12, 100])
@pytest.mark.parametrize(("prompts", "count"), [(1, 1), (5, 1), (3, 4), (1, 7)])
def test_portions_hold_each_row_once_in_order_under_its_number(prompts, count, at_once):
    rows = [
        (one.first_row + row, *one.place(row))
        for one in portions(prompts, count, at_once)
        for row in range((one.last - one.first) * one.size)
    ]
    assert rows == [(p * count + g, p, g) for p in range(prompts) for g in range(count)]


def test_a_portion_is_no_larger_than_asked():
    assert [(one.last - one.first) * one.size for one in portions(5, 3, 7)] == [6, 6, 3]
    assert [(one.last - one.first) * one.size for one in portions(2, 5, 2)] == [2, 2, 1, 2, 2, 1]


def test_the_first_row_that_runs_is_told_while_it_is_drawn():
    told = []
    teller = Teller(lambda tokens: "".join(map(str, tokens)), lambda row: told.append(row), told.append)
    board = Board(3, 1, limit=4, end_token_ids=[END])
    board.advance([0, 1, 2], [1, 4, 7])
    teller.look(board)
    assert told == [0, "1"]
    board.advance([0, 1, 2], [2, END, 8])
    teller.look(board)
    assert told == [0, "1", "2"]
    board.advance([0, 2], [END, 8])
    teller.look(board)
    assert told == [0, "1", "2", "9", 1, "49", 2, "788"]
    board.advance([2], [8])
    teller.look(board, is_over=True)
    assert told[-1] == "8"
