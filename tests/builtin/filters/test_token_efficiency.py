"""Reward a token, with an order that holds for every sign of the reward."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpocli.builtin.filters.token_efficiency import EXTENSION, LOWEST, efficiency
from gpocli.contracts.filter import GroupFilter, select

group_filter = GroupFilter([EXTENSION.build(EXTENSION.options())])
rewards = st.floats(allow_nan=False, allow_infinity=False)
lengths = st.integers(0, 100_000)


def kept(rewards_G, lengths_G, keep):
    return select(group_filter.score([["x"] * len(rewards_G)], [rewards_G], completion_lengths=[lengths_G])[0], keep)


def test_positive_reward_is_divided_by_the_tokens():
    scores = group_filter.score([["a", "b"]], [[1.0, 0.5]], completion_lengths=[[4, 4]])
    assert scores == [[(0.25,), (0.125,)]]


def test_more_reward_can_pay_for_more_tokens():
    # 1/10 = 0.1, 0.5/4 = 0.125, 1/8 = 0.125, 0.9/20 = 0.045
    assert kept([1.0, 0.5, 1.0, 0.9], [10, 4, 8, 20], 2) == [1, 2]


def test_of_equal_negative_rewards_the_shortest_are_kept():
    assert kept([-1.0] * 4, [16, 2, 8, 4], 2) == [1, 3]


def test_of_zero_rewards_the_shortest_are_kept_between_good_and_bad():
    assert kept([0.0] * 4, [16, 2, 8, 4], 2) == [1, 3]
    assert kept([-1.0, 0.0, 1.0, 0.0], [1, 500, 500, 400], 2) == [2, 3]


def test_empty_completion_counts_as_one_token():
    assert efficiency(1.0, 0) == efficiency(1.0, 1) == 1.0
    assert efficiency(-1.0, 0) == -1.0


def test_reward_that_does_not_apply_ranks_last_and_is_finite():
    assert efficiency(math.nan, 1) == LOWEST < efficiency(-1e300, 10**6)
    assert kept([math.nan, -1.0, 0.0], [1, 9, 9], 2) == [1, 2]


def test_an_unended_one_can_still_get_the_most_reward_with_one_token_more():
    assert group_filter.needs_rewards
    assert group_filter.can_race
    assert group_filter.score_bound(4, 1.0) == (0.2,)
    assert group_filter.score_bound(4, -1.0) == (-5.0,)
    assert group_filter.score_bound(4) == (math.inf,)


@given(rewards, lengths)
def test_score_is_finite(reward, length):
    assert math.isfinite(efficiency(reward, length))


@given(rewards, rewards, lengths)
def test_at_equal_length_more_reward_never_ranks_lower(one, other, length):
    low, high = sorted([one, other])
    assert efficiency(low, length) <= efficiency(high, length)


@given(rewards, lengths, lengths)
def test_at_equal_reward_the_longer_never_ranks_higher(reward, one, other):
    short, long = sorted([one, other])
    assert efficiency(reward, long) <= efficiency(reward, short)


@pytest.mark.parametrize("reward", [2.0, 0.25, 0.0, -0.25, -2.0])
def test_at_equal_reward_the_shorter_ranks_higher(reward):
    assert efficiency(reward, 7) > efficiency(reward, 8)
