"""A reward tried on rows: is what it returns sound, the same again, the same for text and chat, and of any use."""

import asyncio
import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

from gpocli.contracts.building import NamedReward
from gpocli.contracts.race import reward_bound
from gpocli.contracts.reward import checked_rewards
from gpocli.errors import PluginError, counted
from gpocli.trial.report import Check, Report, first_difference, number
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
        self.sees_form = bool(getattr(reward.function, "sees_form", False))
        self.has_bound = callable(getattr(reward.function, "reward_bound", None))

    def arguments(self, *, chat: bool) -> dict[str, Any]:
        return reward_arguments(self.samples, chat=chat)

    def call(self, arguments: dict[str, Any]) -> Values:
        returned = self.function(**arguments)
        values: Values = asyncio.run(returned) if inspect.iscoroutine(returned) else returned
        return values

    def comparisons(self) -> dict[str, Callable[[Values], Check]]:
        compared: dict[str, Callable[[Values], Check]] = {"text and chat": self.form, "columns": self.columns}
        if self.sees_form:
            del compared["text and chat"]
        return compared | {"race": self.race} if self.has_bound else compared

    def rest(self, values: Values) -> list[Check]:
        return [self.spread(values)]

    def columns(self, values: Values) -> Check:
        if self.seconds > SLOW:
            return Check("columns", "not tried, for it is slow")
        return super().columns(values)

    def race(self, values: Values) -> Check:
        """Whether the bound that allows races with it holds, and each completion is paid alike by itself."""
        if self.seconds > SLOW:
            return Check("race", "not tried, for it is slow")
        try:
            faults = self.above_bound(values)
        except PluginError as error:
            return Check("race", "no", (str(error),))
        alone = [replace(group, candidates=[one]) for group in self.samples.groups for one in group.candidates]
        calls = (reward_arguments(replace(self.samples, groups=[one]), chat=self.samples.are_chat) for one in alone)
        by_itself = [value for arguments in calls for value in self.call(arguments)]
        at = first_difference(values, by_itself)
        if at is not None:
            faults.append(
                f"{self.name} has a reward_bound, and so must pay a completion by itself, but "
                f"{self.samples.candidates[at].place} gets {number(values[at])} beside others and "
                f"{number(by_itself[at])} alone; take reward_bound out"
            )
        return Check("race", "no" if faults else "yes, the bound holds", tuple(faults))

    def above_bound(self, values: Values) -> list[str]:
        """The first completion with a value above the bound of one that it was before its end."""
        for one, value in zip(self.samples.candidates, values, strict=True):
            if value is None:
                continue
            for length in range(len(one.tokens)):
                bound = reward_bound(self.function, length)
                if value > bound and not math.isclose(value, bound, rel_tol=1e-9, abs_tol=1e-12):
                    return [
                        f"{self.name} says that an unended completion of {counted(length, 'token')} gets at most "
                        f"{number(bound)}, but {one.place} became {len(one.tokens)} long and gets {number(value)}; "
                        "raise reward_bound"
                    ]
        return []

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
