"""Rewards are asked and summed as a trainer does it."""

import math

import torch

from gpocli.contracts.filter_call import Candidate
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.replay.paid import Pay, weighted_sum
from gpocli.trainers.race_rewards import weighted_sums

ONE = Candidate({"prompt": "p", "answer": "4"}, "p", "abc", [1, 2, 3], True)


def test_sums_are_those_of_the_trainer():
    nan = math.nan
    for values in ([0.1, 0.2], [1 / 3, nan], [nan, nan], [1e8, 1.0]):
        expected = weighted_sums(torch.tensor([values]), torch.tensor([0.7, 1.1])).item()
        got = weighted_sum(values, [0.7, 1.1])
        assert got == expected or (math.isnan(got) and math.isnan(expected))


def test_rewards_get_what_they_name():
    async def later(completions, answer, finished):
        return [float(len(text)) for text in completions]

    def never(completion_ids, trainer_state, log_metric):
        log_metric("x", 1.0)
        return [None for _ in completion_ids]

    pay = Pay(checked_rewards([later, never]), ["later", "never"], [2.0, 1.0])
    (paid,) = pay.ask([ONE], None)
    assert paid.rewards is not None
    assert paid.rewards["later"] == 3.0
    assert math.isnan(paid.rewards["never"])
    assert paid.reward == 6.0
    assert pay.ask([], None) == []


def test_a_group_that_is_skipped_has_no_reward():
    def broken(completions):
        raise ValueError("no")

    skip = [RewardRules(on_error="skip_group")]
    (paid,) = Pay(checked_rewards([broken], rules=skip, note=lambda _: None), ["broken"], [1.0]).ask([ONE], None)
    assert math.isnan(paid.reward)


def test_bounds_are_weighed():
    class Bounded:
        def __call__(self, completions):
            return [0.0 for _ in completions]

        def reward_bound(self, length):
            return 3.0 - length

    (reward,) = checked_rewards([Bounded()], ["b"])
    assert Pay([reward], ["b"], [2.0]).most(1) == (4.0, {"b": 2.0})
    assert Pay([reward], ["b"], [2.0]).most(5) == (0.0, {"b": -2.0})  # it may not apply, which is better
    assert Pay([reward], ["b"], [-1.0]).most(5)[0] == math.inf
    (unknown,) = checked_rewards([lambda completions: [0.0]])
    assert Pay([unknown], ["u"], [1.0]).most(5)[0] == math.inf
