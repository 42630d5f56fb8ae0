"""Short right answers beside long wrong ones: each group below is ranked by hand."""

import math
import random
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from gpocli.builtin.filters.adaptive_difficulty import EXTENSION as ADAPTIVE
from gpocli.builtin.filters.contrast import EXTENSION, in_turn
from gpocli.builtin.filters.length import Length
from gpocli.contracts.filter import GroupFilter, NamedFilter, select
from gpocli.contracts.length_pull import group_advantages, length_pull
from gpocli.errors import SpecError

NAN = math.nan


def contrast(**options):
    return GroupFilter([NamedFilter("contrast", EXTENSION.build(EXTENSION.options(**options)))])


def ranks(rewards, lengths, keywords=None, **options):
    """The rank of each candidate of a group, each of which wrote something else."""
    texts = [[f"text {place}" for place in range(len(rewards))]]
    (scores,) = contrast(**options).score(texts, [rewards], completion_lengths=[lengths], **(keywords or {}))
    return [-score for (score,) in scores]


def test_right_ones_by_rising_and_wrong_ones_by_falling_length_in_turn():
    # Right: 10 (rank 0), 30 (2), 50 (4). Wrong: 90 (1), 40 (3), 20 (5); on average wrong 50 is above right 30.
    assert ranks([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [30, 10, 50, 40, 90, 20]) == [2, 0, 4, 3, 1, 5]


@pytest.mark.parametrize("keep", range(2, 8))
def test_any_k_keeps_both_sides_in_balance_and_teaches_to_write_less(keep):
    rewards, lengths = [1.0] * 4 + [0.0] * 4, [10, 20, 30, 40, 15, 25, 35, 45]
    kept = select([(-rank,) for rank in ranks(rewards, lengths)], keep)
    assert sum(rewards[i] for i in kept) == (keep + 1) // 2
    assert length_pull([lengths[i] for i in kept], group_advantages([rewards[i] for i in kept])).correlation < -0.4


def test_a_side_with_too_few_leaves_its_places_to_the_other():
    assert ranks([1.0, 0.0, 0.0, 0.0], [10, 30, 20, 40]) == [0, 2, 3, 1]
    assert ranks([0.0, 1.0, 1.0, 1.0], [90, 30, 20, 40]) == [1, 2, 0, 3]


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_of_a_group_without_any_difference_the_shortest_are_kept(reward):
    assert ranks([reward] * 3, [30, 10, 20]) == [2, 0, 1]


def test_a_group_on_one_side_of_the_threshold_is_parted_at_its_mean():
    # All above 0, mean 0.7: 0.9 and 0.8 are right.
    assert ranks([0.9, 0.8, 0.5, 0.6], [10, 20, 90, 80], threshold=0.0) == [0, 2, 1, 3]
    assert ranks([0.9, 0.8, 0.5, 0.6], [10, 20, 90, 80], threshold=0.85) == [0, 3, 1, 2]


@pytest.mark.parametrize(("right", "wrong"), [(1.0, -1.0), (-0.5, -1.0), (7.0, 5.0)])
def test_rewards_of_any_two_values_rank_as_0_and_1_do(right, wrong):
    assert ranks([right, wrong, right, wrong], [10, 30, 20, 40]) == [0, 3, 2, 1]


def test_the_most_and_the_least_reward_come_first_and_then_length_decides():
    # Mean 0.65. Right: 1.1 (rank 0), 1.0 of 20 (2), 1.0 of 30 (4). Wrong: 0 of 70 (1), 0 of 60 (3), 0.1 (5).
    assert ranks([1.0, 1.1, 1.0, 0.1, 0.0, 0.0], [20, 50, 30, 90, 60, 70]) == [2, 0, 4, 5, 3, 1]


def test_the_share_of_right_ones_holds_for_every_beginning():
    assert in_turn("abcdef", "xyz", 0.5) == ["a", "x", "b", "y", "c", "z", "d", "e", "f"]
    assert in_turn("abcdef", "xyz", 0.75) == ["a", "b", "x", "c", "d", "e", "y", "f", "z"]
    assert in_turn("abc", "wxyz", 0.25) == ["a", "w", "x", "y", "b", "z", "c"]
    assert in_turn("abcd", "xy", 2 / 3)[:3] == ["a", "b", "x"]


def state(*rewards):
    return SimpleNamespace(log_history=[{"candidates/reward": reward} for reward in rewards])


@pytest.mark.parametrize(
    ("history", "slack", "falls"),
    [
        ([], 0.1, False),
        ([0.9] * 9 + [0.0], 0.1, False),  # one mean, which is the best
        ([0.9] * 10 + [0.8] * 9, 0.1, False),  # the last mean is 0.81
        ([0.9] * 10 + [0.7] * 6, 0.1, True),  # 0.78
        ([0.9] * 10 + [0.7] * 6, None, False),
        ([0.9] * 10 + [0.7] * 6 + [0.9] * 10, 0.1, False),
        ([0.9] * 10 + [None, NAN] * 10, 0.1, False),
    ],
)
def test_length_is_left_alone_once_the_reward_has_fallen_too_far_below_its_best(history, slack, falls):
    rewards, lengths = [1.0] * 12 + [0.0] * 12, [*range(10, 22), *range(100, 112)]
    given = ranks(rewards, lengths, {"trainer_state": state(*history)}, slack=slack)
    by_rank = sorted(range(24), key=given.__getitem__)
    assert [rewards[i] for i in by_rank] == [1.0, 0.0] * 12
    assert ([i for i in by_rank if i < 12] != list(range(12))) is falls
    assert ([i for i in by_rank if i >= 12] != list(range(23, 11, -1))) is falls


def trained(chooses, right_at_once, steps=200, rate=0.1):
    """The share of right answers of a policy of one weight in its last step.

    The weight tells how often it thinks (60 tokens, right nine times in ten) and does not answer at once (10 tokens).
    """
    rng, weight, history = random.Random(0), 0.0, []
    for _ in range(steps):
        thinks, push, paid = 1 / (1 + math.exp(-weight)), 0.0, []
        for _ in range(2):
            thought = [rng.random() < thinks for _ in range(24)]
            rewards = [float(rng.random() < (0.9 if one else right_at_once)) for one in thought]
            lengths = [round(rng.gauss(60, 8) if one else rng.gauss(10, 2)) for one in thought]
            texts = [str(rng.random()) for _ in thought]
            told = {"completion_lengths": [lengths], "trainer_state": state(*history)}
            kept = select(chooses.score([texts], [rewards], **told)[0], 8)
            advantages = group_advantages([rewards[i] for i in kept])
            push += sum(one * (thought[i] - thinks) for one, i in zip(advantages, kept, strict=True))
            paid += rewards
        weight += rate * push / 8
        history.append(sum(paid) / len(paid))
    return thinks * 0.9 + (1 - thinks) * right_at_once


def test_a_policy_whose_short_answers_are_seldom_right_does_not_give_up_thinking():
    # It begins at 0.6.
    assert trained(contrast(), 0.3, steps=400) > 0.5
    assert trained(contrast(slack=None), 0.3, steps=400) < 0.4


def test_a_policy_whose_short_answers_are_rarely_right_learns_to_think():
    assert trained(contrast(slack=None), 0.1) > 0.85


def test_cut_answers_are_long_wrong_ones_or_kept_last():
    rewards, lengths, finished = [1.0, 0.0, 0.0], [10, 30, 64], [[True, True, False]]
    assert ranks(rewards, lengths, {"finished": finished}) == [0, 2, 1]
    assert ranks(rewards, lengths, {"finished": finished}, cut="out") == [0, 1, 2]


def test_candidates_without_a_reward_come_last():
    assert ranks([NAN, 1.0, 0.0, NAN], [5, 30, 40, 4]) == [3, 0, 1, 2]
    assert ranks([NAN, NAN], [7, 5]) == [1, 0]


def test_one_reward_can_be_picked_by_name():
    by_name = {"accuracy": [[0.0, 1.0, None]]}
    assert ranks([5.0] * 3, [90, 20, 10], {"rewards_per_func": by_name}, reward="accuracy") == [1, 0, 2]
    with pytest.raises(SpecError, match=r"filter 'contrast' looks at reward 'acuracy'.*did you mean 'accuracy'"):
        ranks([5.0] * 3, [9, 2, 1], {"rewards_per_func": by_name}, reward="acuracy")


def test_identical_candidates_are_ranked_by_index():
    scores = contrast().score([["a"] * 4], [[1.0, 1.0, 0.0, 0.0]], completion_lengths=[[5, 5, 9, 9]])
    assert scores == [[(-0.0,), (-2.0,), (-1.0,), (-3.0,)]]


def test_equal_ones_have_other_lots_in_other_groups():
    orders = {
        tuple(contrast().score([["a", "b", other]], [[1.0] * 3], completion_lengths=[[5, 5, 9]])[0])
        for other in map(str, range(20))
    }
    assert len(orders) == 2


def test_a_filter_behind_it_may_say_how_many_are_kept():
    chain = GroupFilter([*contrast().filters, NamedFilter("adaptive", ADAPTIVE.build(ADAPTIVE.options()))])
    assert chain.adaptive
    assert chain.keep_counts(4, [[1.0, 0.0]], completion_lengths=[[1, 2]]) == [4]


def test_it_says_why_there_is_no_race():
    assert contrast().why_no_race == (
        "filter 'contrast': a candidate that still runs may become the longest wrong answer of its group"
    )
    chain = GroupFilter([NamedFilter("length", Length()), *contrast().filters])
    assert chain.why_no_race.startswith("filter 'contrast'")


@pytest.mark.parametrize("options", [{"share": 0.0}, {"share": 1.0}, {"threshold": NAN}, {"cut": "no"}, {"shar": 0.5}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        EXTENSION.options(**options)
