"""A replayed filter keeps what it would have kept, and says of which groups that is certain."""

import pytest

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.reward import checked_rewards
from gpocli.plugin_manager import load_plugins
from gpocli.replay.paid import Pay
from gpocli.replay.replay import Replay
from gpocli.runs.groups import GroupFiles
from tests.runs.made_run import candidate, four, record


def filter_of(*names):
    return GroupFilter([load_plugins().build_filter(name) for name in names])


def longest(group_completions, group_rewards, completion_lengths):
    return [[float(length) for length in group] for group in completion_lengths]


longest.needs_rewards = False


def by_reward(group_completions, group_rewards):
    return group_rewards


def choices(folder, group_filter, keep, **more):
    replay = Replay(group_filter, keep, rows={}, steps=9, **more)
    return list(replay.choices(GroupFiles(folder / "candidates")))


def test_the_filter_of_the_run_keeps_the_same(tmp_path):
    record(tmp_path, four(1, 0) + four(1, 1), four(2, 0))
    found = choices(tmp_path, filter_of("length"), 2)
    assert [(one.kept, one.recorded, one.is_certain) for one in found] == [([0, 1], [0, 1], True)] * 3
    assert found[0].lengths == [1, 2]
    assert found[0].rewards == [1.0, 1.0]


def test_a_lost_candidate_may_have_been_kept(tmp_path):
    # Of the fourth 4 tokens were written. The three others have 1, 2 and 3: it is longer than any for sure.
    record(tmp_path, four(1, 0))
    assert [one.is_certain for one in choices(tmp_path, filter_of("length"), 3)] == [True]
    # Four of four keep it, but nobody knows what it would have been.
    assert [(one.kept, one.is_certain) for one in choices(tmp_path, filter_of("length"), 4)] == [([0, 1, 2], False)]
    # A filter without a bound might have liked it best.
    assert [(one.kept, one.is_certain) for one in choices(tmp_path, GroupFilter([longest]), 2)] == [([1, 2], False)]


def test_what_was_chosen_in_a_flat_group_counts_as_kept_by_the_run(tmp_path):
    record(
        tmp_path, [candidate(1, 0, n, outcome, reward=1.0) for n, outcome in enumerate(["flat"] * 2 + ["rejected"] * 2)]
    )
    (found,) = choices(tmp_path, filter_of("length"), 2)
    assert (found.kept, found.recorded, found.is_certain) == ([0, 1], [0, 1], True)


@pytest.mark.parametrize(("lost_first", "certain"), [(False, True), (True, False)])
def test_of_equal_scores_the_earlier_wins(tmp_path, lost_first, certain):
    # The lost one would be as good as the other at best, which is enough where it stands first.
    order = ["lost", "rejected"] if lost_first else ["rejected", "lost"]
    record(tmp_path, [candidate(1, 0, n, outcome) for n, outcome in enumerate(order)])

    class Equal:
        needs_rewards = False

        def __call__(self, group_completions, group_rewards):
            return [[0.0 for _ in group] for group in group_completions]

        def score_bound(self, length):
            return 0.0

    assert [one.is_certain for one in choices(tmp_path, GroupFilter([Equal()]), 1)] == [certain]


def test_rewards_that_the_run_did_not_ask_are_asked(tmp_path):
    record(tmp_path, four(1, 0))

    def count(completions, **_):
        return [float(len(text)) for text in completions]

    pay = Pay([count], ["count"], [2.0])
    (found,) = choices(tmp_path, GroupFilter([by_reward]), 1, pay=pay)
    # Recorded are 1 and 1 of the kept; the third has 3 tokens, twice 3 is 6.
    assert (found.kept, found.rewards) == ([2], [6.0])
    (found,) = choices(tmp_path, GroupFilter([by_reward]), 2, pay=pay, asks_all=True)
    assert (found.kept, found.rewards) == ([1, 2], [4.0, 6.0])


def test_a_reward_that_nobody_asked_is_not_made_up(tmp_path):
    record(tmp_path, four(1, 0))
    (found,) = choices(tmp_path, GroupFilter([longest]), 2)
    assert found.rewards == [1.0, None]


def test_bounds_of_rewards_tell_what_is_lost(tmp_path):
    record(tmp_path, [candidate(1, 0, 0, "kept", reward=1.0), candidate(1, 0, 1, "lost", text="xx")])

    class AtMostOne:
        def __call__(self, group_completions, group_rewards):
            return group_rewards

        def score_bound(self, length, max_reward):
            return max_reward

    assert not choices(tmp_path, GroupFilter([AtMostOne()]), 1)[0].is_certain

    class Bounded:
        def __call__(self, completions):
            return [0.0 for _ in completions]

        def reward_bound(self, length):
            return 1.0 if length < 2 else 0.5

    pay = Pay(checked_rewards([Bounded()]), ["bounded"], [1.0])
    assert choices(tmp_path, GroupFilter([AtMostOne()]), 1, pay=pay)[0].is_certain


def test_an_adaptive_filter_has_lost_its_way_from_the_first_lost_one_on(tmp_path):
    whole = [candidate(1, 0, n, "kept", reward=float(n)) for n in range(4)]
    later = [candidate(3, 0, n, "kept", reward=float(n)) for n in range(4)]
    record(tmp_path, whole, [*four(2, 0)[:2], candidate(2, 0, 2, "lost")], later)
    found = choices(tmp_path, filter_of("adaptive_difficulty"), 2)
    assert [one.is_certain for one in found] == [True, False, False]


def test_an_adaptive_filter_has_to_see_all_steps(tmp_path):
    record(tmp_path, [candidate(1, 0, n, "kept", reward=float(n)) for n in range(4)])
    assert not choices(tmp_path, filter_of("adaptive_difficulty"), 2, has_all_steps=False)[0].is_certain


def test_steps_are_told_as_in_training(tmp_path):
    record(tmp_path, four(3, 0))
    told = []

    def note(group_completions, group_rewards, trainer_state, group_numbers):
        told.append((trainer_state.global_step, trainer_state.max_steps, group_numbers))
        return [[0.0 for _ in group] for group in group_completions]

    note.needs_rewards = False
    choices(tmp_path, GroupFilter([note]), 2)
    assert told == [(2, 9, [[0, 0, 0]])]
