"""Figures of completions, each worked out by hand over the population that it is of."""

import statistics

import pytest

from gpocli.rollout import Rollout
from gpocli.trainers.figures import (
    Counted,
    append_figures,
    count,
    deviation,
    evaluation_figures,
    is_flat,
    length_figures,
    mean,
    owned_names,
    pull_figures,
    race_figures,
    reward_figures,
    taken_back,
    training_figures,
)
from gpocli.trainers.generation_batch import Drawn, Selection

NAN = float("nan")
APPROX_NAN = pytest.approx(NAN, nan_ok=True)


def candidate(length=1, reward=NAN, *, finished=True, lost=False, kept=True, rewards=None, raced=False):
    return Counted(length, finished and not lost, lost, kept, reward, rewards or (reward,), raced)


def test_lengths_are_those_of_all_and_of_those_that_ended():
    # Four: 2, 4 and 9 ended, one was cut at 12.
    figures = length_figures([candidate(4), candidate(12, finished=False, kept=False), candidate(2), candidate(9)])
    assert figures == {
        "completions/mean_length": 6.75,
        "completions/min_length": 2,
        "completions/max_length": 12,
        "completions/clipped_ratio": 0.25,
        "completions/mean_terminated_length": 5.0,
        "completions/min_terminated_length": 2,
        "completions/max_terminated_length": 9,
    }


def test_where_none_ended_there_is_no_length_of_those_that_did():
    figures = length_figures([candidate(5, finished=False)])
    assert figures["completions/clipped_ratio"] == 1.0
    assert [value for name, value in figures.items() if "terminated" in name] == [APPROX_NAN] * 3


def test_a_race_leaves_lower_bounds_under_names_that_say_so():
    # 2 ended, 12 was cut, two were lost at 2: at least (2 + 12 + 2 + 2) / 4 tokens, at least a quarter is cut.
    raced = [
        candidate(2, raced=True),
        candidate(12, finished=False, raced=True),
        candidate(2, lost=True, kept=False, raced=True),
        candidate(2, lost=True, kept=False, raced=True),
    ]
    assert race_figures(raced) == {
        "completions/mean_length_at_least": 4.5,
        "completions/clipped_ratio_at_least": 0.25,
        "lost/share": 0.5,
    }
    figures = training_figures(raced, 4, ["right"], is_filtered=True, all_rewarded=False)
    assert not set(length_figures(raced)) & set(figures)
    assert (figures["kept/share"], figures["kept/mean_length"]) == (0.5, 7.0)


def test_a_batch_without_a_race_has_no_bounds():
    figures = training_figures([candidate(2), candidate(4)], 2, ["right"], is_filtered=False, all_rewarded=False)
    assert not [name for name in figures if "at_least" in name or name.startswith(("lost", "candidates"))]
    assert not {"kept/share", "kept/mean_length"} & set(figures)


def test_rewards_of_all_are_told_where_all_were_asked():
    rows = [candidate(1, 4.0), candidate(1, 1.0, kept=False), candidate(1, 3.0), candidate(1, NAN, kept=False)]
    figures = training_figures(rows, 4, ["right"], is_filtered=True, all_rewarded=True)
    assert figures["candidates/reward"] == pytest.approx(8 / 3)
    assert figures["reward"] == 3.5


def test_rewards_are_those_of_the_kept_to_which_they_apply():
    rows = [
        candidate(1, 3.0, rewards=(1.0, 2.0)),
        candidate(1, 9.0, rewards=(9.0, 9.0), kept=False),
        candidate(1, 2.0, rewards=(2.0, NAN)),
        candidate(1, NAN, rewards=(NAN, NAN)),
    ]
    figures = reward_figures(rows, 2, ["a", "b"])
    assert figures["reward"] == 2.5
    assert figures["reward_std"] == pytest.approx(statistics.stdev([3.0, 2.0]))
    assert (figures["rewards/a/mean"], figures["rewards/a/std"]) == (1.5, pytest.approx(statistics.stdev([1.0, 2.0])))
    assert (figures["rewards/b/mean"], figures["rewards/b/std"]) == (2.0, APPROX_NAN)
    # One is kept of the first group, and one of the second has a reward: both give no advantage.
    assert figures["frac_reward_zero_std"] == 1.0


@pytest.mark.parametrize(
    ("group", "flat"),
    [
        ([], True),
        ([candidate(1, 1.0)], True),
        ([candidate(1, 1.0), candidate(1, 2.0, kept=False)], True),
        ([candidate(1, 1.0), candidate(1, NAN)], True),
        ([candidate(1, 0.1), candidate(1, 0.1)], True),
        ([candidate(1, 0.1), candidate(1, 0.2)], False),
    ],
)
def test_a_group_is_flat_where_no_kept_candidate_differs_from_another(group, flat):
    assert is_flat(group) is flat


def test_groups_of_one_are_no_groups():
    assert "frac_reward_zero_std" not in evaluation_figures([candidate(1, 1.0), candidate(3, 2.0)], 1, ["right"])
    assert evaluation_figures([candidate(1, 1.0), candidate(3, 2.0)], 2, ["right"])["frac_reward_zero_std"] == 0.0


def test_what_a_right_answer_costs_is_of_the_groups_that_can_be_graded():
    # The second group cannot be graded. Right: 2 tokens, of 2 + 6 of its group. All: 2, 6, 100, 104.
    group = [candidate(2, 1.0), candidate(6, 0.5), candidate(100, NAN), candidate(104, NAN)]
    figures = evaluation_figures(group, 2, ["accuracy"])
    assert figures["completions/tokens_per_right"] == 8
    assert figures["completions/median_length"] == 53
    # place 2.7 of 0..3
    assert figures["completions/length_90"] == pytest.approx(102.8)
    assert "completions/tokens_per_right" not in evaluation_figures(group, 2, ["mine"])
    assert evaluation_figures(group[2:], 2, ["accuracy"])["completions/tokens_per_right"] == APPROX_NAN


def test_a_training_batch_has_none_of_them():
    assert (
        not {"completions/median_length", "completions/tokens_per_right"}
        & training_figures([candidate(1, 1.0)], 1, ["accuracy"], is_filtered=False, all_rewarded=True).keys()
    )


def test_a_surplus_row_is_not_kept_and_a_lost_one_has_no_reward():
    rollout = Rollout([[5, 1], [5], [5, 5, 1]], [True, False, True], [False, True, False])
    batch = Drawn(3, [{}] * 3, ["p"] * 3).sampled(rollout, ["a", "b", "c"]).scored({0: ([1.0], 0.5), 2: ([3.0], 1.5)})
    counted = count(batch.selected(Selection([0, 2], surplus=[1])), 1, raced=True)
    assert counted[0] == Counted(2, True, False, True, 0.5, (1.0,), True, APPROX_NAN)
    assert (counted[1].lost, counted[1].reward, counted[1].rewards) == (True, APPROX_NAN, (APPROX_NAN,))
    assert counted[2] == Counted(3, True, False, False, 1.5, (3.0,), True, APPROX_NAN)


def with_advantage(length, reward, advantage, *, kept=True):
    return Counted(length, True, False, kept, reward, (reward,), advantage=advantage)


def test_the_pull_on_length_is_that_of_the_kept_rows_of_all_groups():
    # Kept (length, advantage): (10, 1), (30, -1) and, in a flat group with advantages of noise, (20, 0), (20, 0).
    groups = [
        *(with_advantage(10, 1.0, 1.0), with_advantage(30, 0.0, -1.0), with_advantage(99, 0.0, NAN, kept=False)),
        *(with_advantage(20, 0.7, 6e-4), with_advantage(20, 0.7, 6e-4), with_advantage(1, 0.0, NAN, kept=False)),
    ]
    assert pull_figures(groups, 3) == {
        "kept/advantage_length_correlation": pytest.approx(-1.0),
        "kept/right_length": 10.0,
        "kept/wrong_length": 30.0,
    }


def test_cut_completions_that_are_in_no_loss_have_no_advantage():
    rollout = Rollout([[5, 1], [5, 5]], [True, False], [False, False])
    batch = Drawn(2, [{}] * 2, ["p"] * 2).sampled(rollout, ["a", "b"]).scored({0: ([1.0], 1.0), 1: ([0.0], 0.0)})
    done = batch.selected(Selection([0, 1])).advantaged([0.7, -0.7])
    assert [one.advantage for one in count(done, 1, raced=False)] == [0.7, -0.7]
    assert [one.advantage for one in count(done, 1, raced=False, counts_truncated=False)] == [0.7, APPROX_NAN]


def test_mean_and_deviation_of_too_few_are_no_numbers():
    assert (mean([]), deviation([]), deviation([1.0])) == (APPROX_NAN, APPROX_NAN, APPROX_NAN)


def test_what_the_parent_wrote_is_taken_back():
    metrics = {"reward": [1.0], "loss": [2.0]}
    with taken_back(metrics, owned_names(["right"])):
        append_figures(metrics, {"reward": 9.0, "reward_std": 9.0, "rewards/right/mean": 9.0, "num_tokens": 3.0})
    assert metrics == {"reward": [1.0], "loss": [2.0], "num_tokens": [3.0]}
