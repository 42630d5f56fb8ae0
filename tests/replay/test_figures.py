"""Figures of a replay, counted by hand."""

import math

from gpocli.replay.figures import replay_figures
from gpocli.replay.replay import Choice
from gpocli.runs.groups import RecordedGroup
from tests.runs.made_run import candidate


def group(rewards, kept):
    """Candidate n has n + 1 tokens."""
    outcomes = ["kept" if n in kept else "rejected" for n in range(len(rewards))]
    return RecordedGroup([candidate(1, 0, n, outcomes[n], reward=rewards[n]) for n in range(len(rewards))])


def test_figures_are_counted():
    first = Choice(group([1.0, 0.0, 1.0], {0, 1}), [0, 2], [1.0, 1.0], True)
    second = Choice(group([1.0, 0.0, None], {0, 1}), [0, 1], [1.0, None], False)
    found = replay_figures([first, second])
    assert (found.groups, found.certain_groups, found.same) == (2, 1, 1)
    assert found.overlap == 3 / 4
    # recorded: rewards 1, 0, 1, 0 and lengths 1, 2, 1, 2; no group is flat
    assert (found.recorded.reward, found.recorded.length, found.recorded.flat) == (0.5, 1.5, 0.0)
    # replayed: rewards 1, 1, 1 and lengths 1, 3, 1, 2; of the second group nobody knows whether it is flat
    assert (found.replayed.reward, found.replayed.rewarded, found.replayed.length) == (1.0, 3, 1.75)
    assert found.replayed.flat == 1.0
    assert (found.certain.groups, found.certain.kept) == (1, 2)


def test_nothing_has_no_figures():
    found = replay_figures([])
    assert (found.overlap, found.recorded.reward, found.replayed.flat) == (None, None, None)


def test_a_reward_that_does_not_apply_counts_in_no_mean():
    found = replay_figures([Choice(group([1.0, None], {0, 1}), [0, 1], [1.0, math.nan], True)])
    assert (found.replayed.reward, found.replayed.rewarded, found.replayed.flat) == (1.0, 1, 1.0)
