"""The guards of a run, called in one place: which alarms a step gives, and what is to come of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from gpocli.contracts.callables import one_line_cause
from gpocli.contracts.guard import Alarm
from gpocli.contracts.scores import shown
from gpocli.errors import PluginError
from gpocli.settings.guards import GuardAction


@dataclass(frozen=True, slots=True)
class NamedGuard:
    """A guard under its name, with what an alarm of it leads to."""

    name: str
    check: Callable[[Mapping[str, Any]], Any]
    action: GuardAction


@dataclass(frozen=True, slots=True)
class Verdict:
    """An alarm at a step; the run was well up to the step `good`."""

    name: str
    action: GuardAction
    alarm: Alarm
    step: int
    good: int

    def __str__(self) -> str:
        return f"guard '{self.name}' at step {self.step}: {self.alarm.text}; {self.alarm.cure}"


class Guards:
    """Shows each step to every guard; the first in order is heard first.

    Raises `PluginError` naming the guard when one fails or returns something else than None or an `Alarm`.
    """

    def __init__(self, guards: Sequence[NamedGuard]) -> None:
        self._guards = list(guards)
        self._steps = [0]
        self._told: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return any(guard.name == name for guard in self._guards)

    def look(self, step: int, figures: Mapping[str, Any]) -> list[Verdict]:
        """What guards say of a step; an alarm that only warns is told once, until the guard finds all well again."""
        self._steps.append(step)
        found = []
        for guard in self._guards:
            alarm = _checked(guard, figures)
            if alarm is None:
                self._told.discard(guard.name)
            elif guard.action != "warn" or guard.name not in self._told:
                self._told.add(guard.name)
                found.append(Verdict(guard.name, guard.action, alarm, step, self._good(alarm.lines)))
        return found

    def _good(self, lines: int) -> int:
        """The last step before so many bad lines, each of which may stand for several steps."""
        return self._steps[max(0, len(self._steps) - 1 - lines)] if lines else self._steps[-1] - 1


def told_by_run(options: type[BaseModel], filters: Sequence[str]) -> dict[str, str]:
    """The options of a guard that a run fills in: its `filters`, where the option `filter` is a text that is empty."""
    field = options.model_fields.get("filter")
    return {"filter": " > ".join(filters)} if filters and field is not None and field.default == "" else {}


def _checked(guard: NamedGuard, figures: Mapping[str, Any]) -> Alarm | None:
    try:
        returned = guard.check(figures)
    except (Exception, SystemExit) as error:
        raise PluginError(f"guard '{guard.name}' failed: {one_line_cause(error)}; mend it, or switch it off") from error
    if returned is None or isinstance(returned, Alarm):
        return returned
    raise PluginError(f"guard '{guard.name}' returned {shown(returned)}; return None, or an Alarm")
