"""What is tried alike on filters and rewards: the same again, as text and as chat, with and without a column."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from gpocli.errors import GpoError, PluginError, counted
from gpocli.trial.report import Check, KindRow, Report, duration, first_difference, kind_rows, number
from gpocli.trial.samples import Group, Samples

Clock = Callable[[], float]
V = TypeVar("V", float, float | None)
"""What a filter gives for a completion, and what a reward does."""

FIX = "take the text with gpocli.contracts.completion.completion_text"


class Trial(ABC, Generic[V]):
    """The checks on one filter or reward, each of which calls it once or more. Values are a flat list over groups."""

    gives: ClassVar[str]
    """What its values are called."""
    declared: Sequence[str] | None = None
    """The columns that its record says it needs, None where it has no record or cannot say."""

    def __init__(self, name: str, samples: Samples, clock: Clock) -> None:
        self.name, self.samples, self.clock = name, samples, clock
        self.seconds = 0.0

    @abstractmethod
    def arguments(self, *, chat: bool) -> dict[str, Any]:
        """What a trainer would call it with, in one form or the other, freshly made."""

    @abstractmethod
    def call(self, arguments: dict[str, Any]) -> list[V]:
        """The values for these arguments. Raises GpoError."""

    @abstractmethod
    def comparisons(self) -> dict[str, Callable[[list[V]], Check]]:
        """The checks that compare with other calls, which means nothing when values change from call to call."""

    @abstractmethod
    def rest(self, values: list[V]) -> list[Check]:
        """The checks on the values alone."""

    def kept(self, values: list[V]) -> list[bool] | None:
        """Which candidates are kept, where something is."""
        return None

    def report(self, subject: str) -> Report:
        """All checks. Raises SpecError when it says that the data or its options are wrong."""
        samples = self.samples
        kinds: tuple[KindRow, ...] = ()
        try:
            values, self.seconds = self.timed()
        except PluginError as error:
            checks = [Check(self.gives, "failed", (f"{error}{self.hint()}",))]
        else:
            checks = self.checks(values)
            kinds = kind_rows([one.kind for one in samples.candidates], values, self.kept(values))
        return Report(subject, samples.origin, tuple(samples.notes), kinds, tuple(checks))

    def checks(self, values: list[V]) -> list[Check]:
        """What is found on something that gives these values."""
        again = self.again(values)
        compared: list[Check] = [
            Check(name, "not tried, for its values change from call to call") if again.finding == "no" else look(values)
            for name, look in self.comparisons().items()
        ]
        time = Check("time", f"{duration(self.seconds / len(values))} a completion")
        return [Check(self.gives, _summary(values)), again, *compared, *self.rest(values), time]

    def timed(self) -> tuple[list[V], float]:
        """The values, and the seconds of the quicker of two calls, so that what it loads once does not count."""
        durations = []
        for _ in range(2):  # the first may load a tokenizer or start a process
            arguments = self.arguments(chat=self.samples.are_chat)
            start = self.clock()
            values = self.call(arguments)
            durations.append(self.clock() - start)
        return values, min(durations)

    def again(self, values: list[V]) -> Check:
        """The same call gives the same values, and leaves its arguments as they were."""
        arguments = self.arguments(chat=self.samples.are_chat)
        second = self.call(arguments)
        faults = []
        at = first_difference(values, second)
        if at is not None:
            faults.append(
                f"{self.name} gives {number(values[at])} and then {number(second[at])} for {self.place(at)}; make it "
                "depend on its arguments alone"
            )
        untouched = self.arguments(chat=self.samples.are_chat)
        changed = [name for name, value in arguments.items() if value != untouched[name]]
        if changed:
            faults.append(f'{self.name} changes its argument "{changed[0]}", which others are given too; change a copy')
        finding = "no" if at is not None else "yes, but it changes its arguments" if changed else "yes"
        return Check("same again", finding, tuple(faults))

    def hint(self) -> str:
        """What to add when it fails with completions in the form that they have, but not in the other one."""
        try:
            self.call(self.arguments(chat=not self.samples.are_chat))
        except GpoError:  # it fails with both, so the form is not the reason
            return ""
        native, other = self.forms
        return f"; it works with {other} but not with {native}: {FIX}"

    def form(self, values: list[V]) -> Check:
        """Text and chat messages give the same values."""
        native, other = self.forms
        try:
            second = self.call(self.arguments(chat=not self.samples.are_chat))
        except PluginError as error:
            return Check("text and chat", "no", (f"with {other} for {native}: {error}; {FIX}",))
        at = first_difference(values, second)
        if at is None:
            return Check("text and chat", "the same")
        fault = f"{self.name} gives {number(values[at])} with {native} and {number(second[at])} with {other}"
        return Check("text and chat", "differ", (f"{fault} for {self.place(at)}; {FIX}",))

    @property
    def forms(self) -> tuple[str, str]:
        """The form that the completions have, and the other one."""
        return ("chat messages", "text") if self.samples.are_chat else ("text", "chat messages")

    def columns(self, values: list[V]) -> Check:
        """Which data columns it cannot do without, and which change its values."""
        uses = {name: self.use_of(name, values) for name in self.samples.columns}
        finding = ", ".join(f"{name} ({use})" for name, use in uses.items() if use) or "none"
        faults = [
            f'{self.name} needs the column "{name}" and does not say so; write columns=("{name}",) in its '
            "RewardExtension"
            for name, use in uses.items()
            if use == "needed" and self.declared is not None and name not in self.declared
        ]
        return Check("columns", finding, tuple(faults))

    def use_of(self, column: str, values: list[V]) -> str | None:
        arguments = self.arguments(chat=self.samples.are_chat)
        del arguments[column]
        try:
            without = self.call(arguments)
        except GpoError:
            return "needed"
        return None if first_difference(values, without) is None else "used"

    def place(self, index: int) -> str:
        """What messages call a candidate."""
        return self.samples.candidates[index].place


def split(values: Sequence[V], groups: Sequence[Group]) -> list[list[V]]:
    """The values of each group, out of a flat list."""
    remaining = iter(values)
    return [[next(remaining) for _ in group.candidates] for group in groups]


def _summary(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    span = f" from {number(min(known))} to {number(max(known))}" if known else ""
    missing = f", {len(values) - len(known)} None" if len(known) < len(values) else ""
    return f"{counted(len(known), 'number')}{span}{missing}"
