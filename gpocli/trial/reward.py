"""A reward tried on rows: is what it returns sound, the same again, the same for text and chat, and of any use."""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from gpocli.contracts.reward import checked_rewards
from gpocli.errors import GpoError, PluginError
from gpocli.plugin_manager import NamedReward
from gpocli.trial.report import (
    CURE,
    NOT_TRIED,
    UNSTEADY,
    Check,
    Report,
    counted,
    duration,
    first_difference,
    kind_rows,
    number,
)
from gpocli.trial.samples import Samples, reward_arguments

Clock = Callable[[], float]
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
    trial = _Trial(reward, samples, clock)
    try:
        values, seconds = trial.timed()
    except PluginError as error:
        fault = f"{error}{trial.hint()}"
        return Report(subject, samples.origin, tuple(samples.notes), (), (Check("values", "failed", (fault,)),))
    again = trial.again(values)
    is_steady = again.finding != UNSTEADY
    checks = (
        Check("values", trial.summary(values)),
        again,
        trial.form(values) if is_steady else Check("text and chat", NOT_TRIED),
        trial.columns(values, seconds, declares) if is_steady else Check("columns", NOT_TRIED),
        trial.spread(values),
        Check("time", f"{duration(seconds / len(values))} a completion"),
    )
    kinds = kind_rows([one.kind for one in samples.candidates], values)
    return Report(subject, samples.origin, tuple(samples.notes), kinds, checks)


class _Trial:
    """The checks on one reward; each calls it once or more."""

    def __init__(self, reward: NamedReward, samples: Samples, clock: Clock) -> None:
        (self.function,) = checked_rewards([reward.function], [reward.name])
        self.name, self.declared = f'reward "{reward.name}"', reward.columns
        self.samples, self.clock = samples, clock

    def timed(self) -> tuple[Values, float]:
        """The values, and the seconds of the quicker of two calls, so that what it loads once does not count."""
        durations = []
        for _ in range(2):
            arguments = self.arguments()
            start = self.clock()
            values = self.call(arguments)
            durations.append(self.clock() - start)
        return values, min(durations)

    def arguments(self) -> dict[str, Any]:
        return reward_arguments(self.samples, chat=self.samples.are_chat)

    def call(self, arguments: dict[str, Any]) -> Values:
        if inspect.iscoroutinefunction(self.function):
            returned: Values = asyncio.run(self.function(**arguments))
        else:
            returned = self.function(**arguments)
        return returned

    def summary(self, values: Values) -> str:
        known = [value for value in values if value is not None]
        missing = len(values) - len(known)
        numbers = counted(len(known), "number")
        if known:
            numbers += f" from {number(min(known))} to {number(max(known))}"
        return numbers + (f", {missing} None" if missing else "")

    def again(self, values: Values) -> Check:
        """The same call gives the same values, and leaves its arguments as they were."""
        arguments = self.arguments()
        second = self.call(arguments)
        faults = []
        at = first_difference(values, second)
        if at is not None:
            faults.append(
                f"{self.name} gives {number(values[at])} and then {number(second[at])} for {self.place(at)}; make it "
                "depend on its arguments alone"
            )
        untouched = self.arguments()
        changed = [name for name, value in arguments.items() if value != untouched[name]]
        if changed:
            faults.append(f'{self.name} changes its argument "{changed[0]}", which others are given too; change a copy')
        finding = UNSTEADY if at is not None else "yes, but it changes its arguments" if changed else "yes"
        return Check("same again", finding, tuple(faults))

    def hint(self) -> str:
        """What to add when it fails with completions in the form that they have, but not in the other one."""
        try:
            self.call(reward_arguments(self.samples, chat=not self.samples.are_chat))
        except GpoError:
            return ""
        native, other = ("chat messages", "text") if self.samples.are_chat else ("text", "chat messages")
        return f"; it works with {other} but not with {native}: {CURE}"

    def form(self, values: Values) -> Check:
        """Text and chat messages give the same values."""
        native, other = ("chat messages", "text") if self.samples.are_chat else ("text", "chat messages")
        try:
            second = self.call(reward_arguments(self.samples, chat=not self.samples.are_chat))
        except PluginError as error:
            return Check("text and chat", "no", (f"with {other} for {native}: {error}; {CURE}",))
        at = first_difference(values, second)
        if at is None:
            return Check("text and chat", "the same")
        fault = f"{self.name} gives {number(values[at])} with {native} and {number(second[at])} with {other}"
        return Check("text and chat", "differ", (f"{fault} for {self.place(at)}; {CURE}",))

    def columns(self, values: Values, seconds: float, declares: bool) -> Check:
        """Which data columns it cannot do without, and which change what it returns."""
        if seconds > SLOW:
            return Check("columns", "not tried, for it is slow")
        words, faults = [], []
        for name in self.samples.columns:
            use = self.use_of(name, values)
            if use is not None:
                words.append(f"{name} ({use})")
            if use == "needed" and declares and name not in self.declared:
                faults.append(
                    f'{self.name} needs the column "{name}" and does not say so; write columns=("{name}",) in its '
                    "RewardExtension"
                )
        return Check("columns", ", ".join(words) or "none", tuple(faults))

    def use_of(self, name: str, values: Values) -> str | None:
        arguments = self.arguments()
        del arguments[name]
        try:
            without = self.call(arguments)
        except GpoError:
            return "needed"
        return None if first_difference(values, without) is None else "used"

    def spread(self, values: Values) -> Check:
        """In how many groups candidates differ: a group without spread teaches nothing."""
        groups = [known for known in self.by_group(values) if len(known) > 1]
        spread = [known for known in groups if max(known) - min(known) > 0]
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

    def by_group(self, values: Values) -> list[list[float]]:
        remaining = iter(values)
        return [
            [value for value in (next(remaining) for _ in group.candidates) if value is not None]
            for group in self.samples.groups
        ]

    def place(self, index: int) -> str:
        candidates: Sequence[Any] = self.samples.candidates
        return str(candidates[index].place)
