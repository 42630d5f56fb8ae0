"""A trial of a filter: whether its bound holds, its scores follow candidates, and its state survives."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpocli.contracts.filter import NamedFilter
from gpocli.data import ROW_KEY
from gpocli.errors import SpecError
from gpocli.trial.filter import try_filter
from gpocli.trial.samples import Candidate, Group, Samples


class Shortest:
    needs_rewards = False

    def __init__(self, slack):
        self.slack = slack

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-length for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + self.slack)


def groups_of(*groups, rewards=None):
    """Groups of completions with these lengths, each paid `rewards`, 1 where none are given."""
    return Samples(
        "made",
        [
            Group(
                {"prompt": "p", ROW_KEY: row},
                [
                    Candidate("made", f"candidate {i}", "x", [1] * length, True, {"r": paid}, paid)
                    for i, (length, paid) in enumerate(zip(lengths, rewards or [1.0] * len(lengths), strict=True))
                ],
            )
            for row, lengths in enumerate(groups)
        ],
    )


def tried(function, *groups, keep=1, rewards=None):
    return try_filter(NamedFilter("f", function), "x", groups_of(*groups, rewards=rewards), keep)


def finding(report, name):
    return next(check.finding for check in report.checks if check.name == name)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=8), st.integers(0, 40))
def test_a_bound_is_refused_exactly_when_a_longer_completion_beats_it(lengths, slack):
    # By hand: some completion of n tokens scores -n, above the bound -(l + slack) of one of its beginnings l < n.
    is_too_low = any(-(begun + slack) < -n for n in lengths for begun in range(n))
    assert (finding(tried(Shortest(slack), lengths), "race") == "no") == is_too_low


def test_a_bound_of_infinity_is_told():
    class Open(Shortest):
        def score_bound(self, length):
            return math.inf

    assert finding(tried(Open(0), [2, 3]), "race") == "yes, but a bound of inf stops no candidate"


def test_a_bound_needs_scores_that_do_not_depend_on_the_others():
    class Ranked(Shortest):
        def __call__(self, group_completions, group_rewards, completion_lengths):
            return [[-sorted(group).index(length) for length in group] for group in completion_lengths]

    report = tried(Ranked(-40), [2, 3])
    assert finding(report, "race") == "no"
    assert "must score a candidate by itself" in report.faults[0]


def test_scores_by_place_are_told():
    def by_place(group_completions, group_rewards):
        return [[float(place) for place, _ in enumerate(group)] for group in group_completions]

    assert finding(tried(by_place, [2, 3]), "order") == "a score depends on the place alone, not on the completion"


def test_scores_of_identical_candidates_may_follow_their_place():
    def ranked(group_completions, group_rewards, completion_lengths):
        orders = [sorted(range(len(group)), key=group.__getitem__) for group in completion_lengths]
        return [[-float(order.index(place)) for place in range(len(order))] for order in orders]

    # The two of 3 tokens swap their scores, -1 and -2, when the group is turned round.
    assert finding(tried(ranked, [3, 2, 3, 5]), "order") == "does not matter"


def test_scores_that_mix_groups_are_told():
    def against_the_first(group_completions, group_rewards, completion_lengths):
        return [[float(length - completion_lengths[0][0]) for length in group] for group in completion_lengths]

    assert finding(tried(against_the_first, [2, 2], [3, 4]), "order") == "matters"


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (lambda reward: reward, "needed"),
        (lambda reward: 0.0, "asked for, but they change no score; needs_rewards = False would save them"),
    ],
)
def test_whether_rewards_matter(score, text):
    def by_reward(group_completions, group_rewards):
        return [[0.0 if math.isnan(one) else score(one) for one in group] for group in group_rewards]

    assert finding(tried(by_reward, [2, 3], rewards=[0.0, 1.0]), "rewards") == text


def test_the_highest_scores_are_kept():
    report = tried(Shortest(0), [3, 2, 4, 1], keep=2)
    assert (finding(report, "keeps"), report.kinds[0].kept) == ("2 of 4", 2)


def test_a_state_that_cannot_be_saved_is_told():
    class Adaptive(Shortest):
        def keep_counts(self, keep, group_rewards, all_mean_rewards):
            return [keep for _ in group_rewards]

        def state_dict(self):
            return {"seen": {1, 2}}

        def load_state_dict(self, state):
            raise AssertionError

    report = tried(Adaptive(0), [2, 3])
    assert finding(report, "keeps") == "failed"
    assert report.faults[0].startswith("state_dict of filter 'f' cannot be saved: ")


def test_one_score_for_all_is_told():
    report = tried(lambda group_completions, group_rewards: [[1.0] * len(group) for group in group_completions], [2, 3])
    assert finding(report, "spread") == "0 of 1 group"
    assert report.faults[0].startswith("filter 'f' gives all candidates of a group one score, in all 1 groups")


def test_groups_of_one_have_no_spread_to_miss():
    assert tried(Shortest(1), [2]).faults == []


def test_recorded_completions_tell_the_pull_on_length():
    recorded = replace(groups_of([2, 4, 9], rewards=[1.0, 0.0, 1.0]), are_recorded=True)
    report = try_filter(NamedFilter("f", Shortest(1)), "x", recorded, 2)
    assert finding(report, "pull on length").startswith("shorter, correlation -1.00")
    assert "pull on length" not in [check.name for check in tried(Shortest(1), [2, 4]).checks]


def test_a_filter_may_say_why_it_has_no_bound():
    def by_place(group_completions, group_rewards):
        return [[0.0] * len(group) for group in group_completions]

    by_place.why_no_race = "it is never sure"
    assert finding(tried(by_place, [2, 3]), "race") == "no, it is never sure"


def test_options_that_do_not_fit_k_are_not_a_fault_of_the_filter():
    class Wide(Shortest):
        def check_keep(self, keep):
            raise SpecError("k is too small")

    with pytest.raises(SpecError, match="k is too small"):
        tried(Wide(0), [2, 3])
