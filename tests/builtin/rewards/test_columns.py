"""Data columns as rewards get them."""

import pytest

from gpocli.builtin.rewards.columns import column, one_each
from gpocli.errors import SpecError


def test_a_column_is_its_values():
    assert column({"answer": ["1", "2"]}, "answer", "exact", 2) == ["1", "2"]


@pytest.mark.parametrize("columns", [{}, {"answer": "1"}, {"answer": None}])
def test_a_column_that_is_not_there_is_told(columns):
    with pytest.raises(SpecError, match=r'^reward "exact" needs the data column "answer", which this data does not'):
        column(columns, "answer", "exact", 2)


def test_a_column_of_another_length_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match='the column "answer" has 1 values for 2 completions'):
        column({"answer": ["1"]}, "answer", "exact", 2)


def test_nothing_given_is_none_for_each():
    assert one_each(None, 2) == [None, None]
    assert one_each(["p", "q"], 2) == ["p", "q"]


def test_a_way_into_a_column_is_followed_in_each_row():
    held = [{"ground_truth": "1"}, None]
    assert column({"reward_model": held}, "reward_model.ground_truth", "exact", 2) == ["1", None]
