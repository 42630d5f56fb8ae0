"""A trial of a reward: which columns it takes, and whether a run could learn from it."""

import itertools

import pytest

from gpocli.contracts.building import NamedReward
from gpocli.contracts.completion import completion_text
from gpocli.data import gather
from gpocli.trial.made_up import made_up
from gpocli.trial.reward import try_reward

SAMPLES = made_up(gather("here", [(1, {"prompt": "a", "answer": "4", "topic": "sums"})]))


def finding(report, name):
    return next(check.finding for check in report.checks if check.name == name)


def right(completions, **columns):
    texts = map(completion_text, completions)
    return [float(text == gold) for text, gold in zip(texts, columns["answer"], strict=True)]


async def right_later(completions, **columns):
    return right(completions, **columns)


@pytest.mark.parametrize("function", [right, right_later])
def test_a_reward_may_be_async(function):
    report = try_reward(NamedReward("right", function), "x", SAMPLES)
    assert (report.faults, finding(report, "spread")) == ([], "1 of 1 group")


def test_a_slow_reward_is_not_called_for_every_column():
    clock = (10.0 * number for number in itertools.count())
    report = try_reward(NamedReward("r", right), "x", SAMPLES, clock=clock.__next__)
    assert finding(report, "columns") == "not tried, for it is slow"


def test_a_column_that_is_needed_must_be_declared_by_a_record():
    report = try_reward(NamedReward("right", right), "x", SAMPLES, declares=True)
    assert finding(report, "columns") == "answer (needed)"
    assert report.faults == [
        'reward "right" needs the column "answer" and does not say so; write columns=("answer",) in its RewardExtension'
    ]
    assert try_reward(NamedReward("right", right, ("answer",)), "x", SAMPLES, declares=True).faults == []
    assert try_reward(NamedReward("right", right), "x", SAMPLES).faults == []


def test_a_column_that_is_used_where_it_is_there():
    def by_topic(completion_ids, topic=None):
        return [len(ids) if topic else -len(ids) for ids in completion_ids]

    assert finding(try_reward(NamedReward("r", by_topic), "x", SAMPLES), "columns") == "topic (used)"


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, 'reward "r" is None for all 7 completions: it never applies'),
        (1.0, 'reward "r" is 1 for all 7 completions: a run learns nothing from it'),
    ],
)
def test_a_reward_that_is_the_same_for_all_teaches_nothing(value, fault):
    report = try_reward(NamedReward("r", lambda completions: [value] * len(completions)), "x", SAMPLES)
    assert report.faults == [f"{fault}; mend it, or try recorded completions with --run"]


def test_a_reward_that_differs_between_prompts_alone_teaches_nothing():
    two = made_up(gather("here", [(1, {"prompt": "a", "answer": "4"}), (2, {"prompt": "bb", "answer": "5"})]))
    report = try_reward(NamedReward("r", lambda answer: [float(text) for text in answer]), "x", two)
    assert report.faults[0].startswith('reward "r" is the same for all completions of a prompt: a run learns nothing')


class Bounded:
    def __init__(self, bound, pay=right):
        self.bound, self.pay = bound, pay

    def __call__(self, completions, answer):
        return self.pay(completions, answer=answer)

    def reward_bound(self, length):
        return self.bound


def share(completions, answer):
    return [value / len(completions) for value in right(completions, answer=answer)]


def test_a_bound_that_holds_lets_groups_race():
    report = try_reward(NamedReward("r", Bounded(1.0)), "x", SAMPLES)
    assert (report.faults, finding(report, "race")) == ([], "yes, the bound holds")
    assert all(check.name != "race" for check in try_reward(NamedReward("r", right), "x", SAMPLES).checks)


@pytest.mark.parametrize(
    ("reward", "fault"),
    [
        (Bounded(0.5), 'reward "r" says that an unended completion of 0 tokens gets at most 0.5, but '),
        (Bounded(1.0, share), 'reward "r" has a reward_bound, and so must pay a completion by itself, but '),
        (Bounded("much"), "reward \"r\" returned 'much' (str) as reward_bound(0); return the highest reward that an "),
    ],
)
def test_a_bound_that_does_not_hold_is_a_fault(reward, fault):
    report = try_reward(NamedReward("r", reward), "x", SAMPLES)
    assert finding(report, "race") == "no"
    assert [one.startswith(fault) for one in report.faults] == [True]
