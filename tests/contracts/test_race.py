"""Which rewards can be asked in a race, and what is said of those that cannot."""

import math

import pytest

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.race import reward_bound, why_no_race
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.errors import PluginError


class MostPaid:
    def __call__(self, group_completions, group_rewards):
        return group_rewards

    def score_bound(self, length, max_reward):
        return max_reward


class Right:
    def __init__(self, bound=1.0):
        self.bound = bound

    def __call__(self, completions):
        return [1.0] * len(completions)

    def reward_bound(self, length):
        return self.bound / length


class Awaited(Right):
    async def __call__(self, completions):
        return [1.0] * len(completions)


class Logging(Right):
    def __call__(self, completions, log_metric=None):
        return [1.0] * len(completions)


def unbounded(completions):
    return [1.0] * len(completions)


def told(*rewards, weight=1.0, **rules):
    named = checked_rewards([*rewards], rules=[RewardRules(**rules)] * len(rewards))
    return why_no_race(GroupFilter([MostPaid()]), named, [weight] * len(rewards))


def test_a_race_needs_a_bound_of_each_reward_that_is_one_of_a_candidate_alone():
    assert told(Right()) is None
    assert told(Right(), unbounded) == "filter 'MostPaid' needs rewards, and reward 'unbounded' has no reward_bound"
    assert told(Awaited()).endswith("reward 'Awaited' has no reward_bound")
    assert told(Logging()).endswith("reward 'Logging' names log_metric, which is of whole batches")
    assert told(Right(), weight=-0.5).endswith("reward 'Right' has a weight below 0")
    assert told(Right(), on_error="zero").endswith("reward 'Right' has on_error: zero, which is of whole batches")
    assert told("a/model").endswith("a reward model takes whole batches")


def test_a_filter_that_looks_at_no_reward_races_whatever_they_are():
    filter_of_lengths = MostPaid()
    filter_of_lengths.needs_rewards = False
    assert why_no_race(GroupFilter([filter_of_lengths]), checked_rewards([unbounded]), [-1.0]) is None


def test_a_bound_is_a_number_or_infinite():
    assert reward_bound(checked_rewards([Right()])[0], 4) == 0.25
    assert reward_bound(checked_rewards([Right(math.inf)])[0], 4) == math.inf
    for wrong in (math.nan, -math.inf):
        with pytest.raises(PluginError, match=r'^reward "Right" returned .* as reward_bound\(4\); return the highest'):
            reward_bound(checked_rewards([Right(wrong)])[0], 4)
    with pytest.raises(PluginError, match=r'^reward "Right" \(reward_bound\) failed: TypeError: '):
        reward_bound(checked_rewards([Right("much")])[0], 4)
