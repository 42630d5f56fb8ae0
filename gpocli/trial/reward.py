"""A reward tried on rows: is what it returns sound, the same again, the same for text and chat, and of any use."""

import asyncio
import inspect
from collections.abc import Callable
from time import perf_counter
from typing import Any

from gpocli.contracts.reward import checked_rewards
from gpocli.errors import counted
from gpocli.plugin_manager import NamedReward
from gpocli.trial.report import Check, Report, number
from gpocli.trial.samples import Samples, reward_arguments
from gpocli.trial.trial import Clock, Trial, split

Values = list[float | None]

SLOW = 2.0
"""Seconds of one call from which on it is not called again for every column of the data."""


def try_reward(
    reward: NamedReward, subject: str, samples: Samples, *, declares: bool = False, clock: Clock = perf_counter
) -> Report:
    """Call a reward on samples that have its columns, and tell what it does and what is wrong with it.

    `declares`: it has a record that could name the columns it needs. What is wrong is in the report; raises
    `SpecError` when the reward says that the data or its options are.
    """
    return _RewardTrial(reward, samples, clock, declares).report(subject)


class _RewardTrial(Trial[float | None]):
    gives = "values"

    def __init__(self, reward: NamedReward, samples: Samples, clock: Clock, declares: bool) -> None:
        super().__init__(f'reward "{reward.name}"', samples, clock)
        (self.function,) = checked_rewards([reward.function], [reward.name])
        self.declared = reward.columns if declares else None

    def arguments(self, *, chat: bool) -> dict[str, Any]:
        return reward_arguments(self.samples, chat=chat)

    def call(self, arguments: dict[str, Any]) -> Values:
        returned = self.function(**arguments)
        values: Values = asyncio.run(returned) if inspect.iscoroutine(returned) else returned
        return values

    def comparisons(self) -> dict[str, Callable[[Values], Check]]:
        return {"text and chat": self.form, "columns": self.columns}

    def rest(self, values: Values) -> list[Check]:
        return [self.spread(values)]

    def columns(self, values: Values) -> Check:
        if self.seconds > SLOW:
            return Check("columns", "not tried, for it is slow")
        return super().columns(values)

    def spread(self, values: Values) -> Check:
        """In how many groups candidates differ: a group without spread teaches nothing."""
        groups = [[value for value in group if value is not None] for group in split(values, self.samples.groups)]
        groups = [group for group in groups if len(group) > 1]
        spread = [group for group in groups if max(group) > min(group)]
        finding = f"{len(spread)} of {counted(len(groups), 'group')}"
        known = [value for value in values if value is not None]
        if spread or (known and not groups):
            return Check("spread", finding)
        if not known:
            fault = f"{self.name} is None for all {len(values)} completions: it never applies"
        elif max(known) == min(known):
            fault = f"{self.name} is {number(known[0])} for all {len(known)} completions: a run learns nothing from it"
        else:
            fault = f"{self.name} is the same for all completions of a prompt: a run learns nothing from it"
        return Check("spread", finding, (f"{fault}; {self.samples.way_out}",))
