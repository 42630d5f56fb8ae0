"""What a filter returned is numbers, as many as candidates, and finite; or a message says what came."""

import math
from fractions import Fraction

import numpy
import pytest
import torch

from gpocli.contracts.scores import as_float, as_list, checked_bound, checked_counts, checked_scores, shown
from gpocli.errors import PluginError


@pytest.mark.parametrize(
    "returned",
    [
        [[1, 2.0], [True]],
        ((1, 2), (1,)),
        [numpy.array([1.0, 2.0]), torch.tensor([1])],
        [[numpy.float32(1), torch.tensor(2.0)], [Fraction(1)]],
    ],
    ids=["lists", "tuples", "arrays", "scalars"],
)
def test_whatever_is_numbers_is_taken(returned):
    assert checked_scores(returned, [2, 1], "f") == [[1.0, 2.0], [1.0]]


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (None, "filter 'f' returned None; return a list of scores for each group"),
        ([[1.0]], "filter 'f' returned 1 list of scores for 2 groups; return a list of scores for each group"),
        ([3, [1.0]], "filter 'f' returned 3 (int) for group 0; return a list of 2 scores"),
        ([[1.0], [1.0]], "filter 'f' returned 1 score for group 0, which has 2 candidates; return one score for each "
                         "candidate"),
        ([[1.0, "2"], [1.0]], "filter 'f' returned '2' (str) as the score of candidate 1 of group 0; return a finite "
                              "number"),
        ([[1.0, math.nan], [1.0]], "filter 'f' returned nan as the score of candidate 1 of group 0; return a finite "
                                   "number"),
        ([[1.0, 2.0], [10**400]], f"filter 'f' returned 1{'0' * 36}... (int) as the score of candidate 0 of group 1; "
                                  "return a finite number"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(returned, text):
    with pytest.raises(PluginError) as caught:
        checked_scores(returned, [2, 1], "f")
    assert str(caught.value) == text


@pytest.mark.parametrize(("returned", "bound"), [(3, 3.0), (math.inf, math.inf), (torch.tensor(-1.5), -1.5)])
def test_a_bound_is_a_number_or_infinity(returned, bound):
    assert checked_bound(returned, 4, "filter 'f'", "score") == bound


@pytest.mark.parametrize("returned", [None, "3", math.nan, -math.inf, [3]])
def test_a_bound_that_says_nothing_is_refused(returned):
    with pytest.raises(PluginError, match=r"as score_bound\(4\); return the highest score"):
        checked_bound(returned, 4, "filter 'f'", "score")


def test_counts_are_whole_numbers():
    assert checked_counts([0, 2.0, torch.tensor(1)], 3, 2, "f") == [0, 2, 1]


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        (2, "filter 'f' returned 2 (int) as keep_counts; return one count for each group"),
        ([2], "filter 'f' returned 1 keep count for 2 groups; return one count for each group"),
        ([2, 3], "filter 'f' wants to keep 3 (int) of group 1; return a whole number from 0 to k = 2"),
        ([2, True], "filter 'f' wants to keep True (bool) of group 1; return a whole number from 0 to k = 2"),
        ([-1, 2], "filter 'f' wants to keep -1 (int) of group 0; return a whole number from 0 to k = 2"),
        ([0.5, 2], "filter 'f' wants to keep 0.5 of group 0; return a whole number from 0 to k = 2"),
    ],
)
def test_counts_that_cannot_be_kept_are_told(returned, text):
    with pytest.raises(PluginError) as caught:
        checked_counts(returned, 2, 2, "f")
    assert str(caught.value) == text


@pytest.mark.parametrize(("value", "number"), [("1", None), (torch.tensor([1.0]), None), (10**400, math.inf)])
def test_what_is_no_single_number(value, number):
    assert as_float(value) == number


@pytest.mark.parametrize("value", ["ab", {"a": 1}, 3, None, torch.tensor(3.0)])
def test_what_is_no_list(value):
    assert as_list(value) is None


def test_a_long_value_is_shown_short():
    assert shown("x" * 100) == "'" + "x" * 36 + "... (str)"
