"""What a trial looks at that needs a clock, or a filter and reward made for it."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from gpocli.contracts.completion import completion_text
from gpocli.contracts.filter import NamedFilter
from gpocli.data import ROW_KEY, gather
from gpocli.plugin_manager import NamedReward
from gpocli.trial.filter import try_filter
from gpocli.trial.made_up import made_up
from gpocli.trial.reward import try_reward
from gpocli.trial.samples import Candidate, Group, Samples

SAMPLES = made_up(gather("here", [(1, {"prompt": "a", "answer": "4", "topic": "sums"})]))


def finding(report, name):
    return next(check.finding for check in report.checks if check.name == name)


def halting_clock(*readings):
    return iter(readings).__next__


def right(completions, **columns):
    texts = map(completion_text, completions)
    return [float(text == gold) for text, gold in zip(texts, columns["answer"], strict=True)]


def test_time_is_that_of_the_quicker_call_by_completion():
    ticks = halting_clock(0.0, 7.0, 10.0, 10.7)  # 7 s, then 0.7 s for 7 completions
    report = try_reward(
        NamedReward("length", lambda completion_ids: [len(i) for i in completion_ids]), "x", SAMPLES, clock=ticks
    )
    assert finding(report, "time") == "100 ms a completion"


def test_slow_reward_is_not_called_for_every_column():
    clock = (10.0 * number for number in itertools.count())
    assert finding(try_reward(NamedReward("r", right), "x", SAMPLES, clock=clock.__next__), "columns") == (
        "not tried, for it is slow"
    )


def test_column_that_is_needed_must_be_declared_by_a_record():
    report = try_reward(NamedReward("right", right), "x", SAMPLES, declares=True)
    assert finding(report, "columns") == "answer (needed)"
    assert report.faults == [
        'reward "right" needs the column "answer" and does not say so; write columns=("answer",) in its RewardExtension'
    ]
    assert try_reward(NamedReward("right", right, ("answer",)), "x", SAMPLES, declares=True).faults == []
    assert try_reward(NamedReward("right", right), "x", SAMPLES).faults == []


def test_column_that_is_used_where_it_is_there():
    def by_topic(completion_ids, topic=None):
        return [len(ids) if topic else -len(ids) for ids in completion_ids]

    assert finding(try_reward(NamedReward("r", by_topic), "x", SAMPLES), "columns") == "topic (used)"


class Shortest:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-length for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + self.slack)

    def __init__(self, slack):
        self.slack = slack


def groups_of(lengths):
    candidates = [
        Candidate("made", f"candidate {i}", "x", [1] * length, True, {}, None) for i, length in enumerate(lengths)
    ]
    return Samples("made", [Group({"prompt": "p", ROW_KEY: 1}, candidates)])


@settings(max_examples=40)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=8), st.integers(0, 40))
def test_bound_is_refused_exactly_when_a_longer_completion_beats_it(lengths, slack):
    report = try_filter(NamedFilter("f", Shortest(slack)), "x", groups_of(lengths), 1)
    # By hand: some completion of n tokens scores -n, above the bound -(l + slack) of one of its beginnings l < n.
    is_too_low = any(-(begun + slack) < -n for n in lengths for begun in range(n))
    assert (finding(report, "race") == "no") == is_too_low


def test_bound_of_infinity_is_told():
    class Open(Shortest):
        def score_bound(self, length):
            return float("inf")

    report = try_filter(NamedFilter("f", Open(0)), "x", groups_of([2, 3]), 1)
    assert finding(report, "race") == "yes, but a bound of inf stops no candidate"


def test_groups_of_one_have_no_spread_to_miss():
    assert try_filter(NamedFilter("f", Shortest(1)), "x", groups_of([2]), 1).faults == []
