"""One call of a reward: what it is given, how long it may take, what it may return, and what becomes of a fault."""

import asyncio
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpocli.contracts.callables import call_signature, one_line_cause
from gpocli.contracts.deadline import Deadline, Overdue
from gpocli.contracts.scores import as_float, as_list, shown
from gpocli.errors import GpoError, PluginError
from gpocli.settings.reward import OnError

Reward = Callable[..., Any]

SKIPPED = -math.inf
"""What a wrapped reward gives for completions whose groups are to be skipped; no reward may return it."""


@dataclass(frozen=True, slots=True)
class RewardRules:
    """How a reward is called: the seconds that a call may take (None: any number), and what becomes of a fault."""

    seconds: float | None = None
    on_error: OnError = "stop"


class RewardCall:
    """Calls a reward under its rules; `note` is told of faults that do not stop the run."""

    def __init__(self, name: str, function: Reward, rules: RewardRules, note: Callable[[str], None]) -> None:
        self.name, self.function, self.rules, self.note = name, function, rules, note
        signature = call_signature(function, leading=0)
        assert signature is not None  # nothing takes fewer than no arguments
        self.signature = signature

    def now(self, offered: Mapping[str, Any]) -> list[float | None]:
        """The values of a reward that is a plain function."""
        by_place, keywords = self.arguments(offered)
        try:
            with Deadline(self.rules.seconds):
                returned = self.function(*by_place, **keywords)
            return self.counted(_checked(self.name, returned, _rows(offered)), offered)
        except (Exception, SystemExit, Overdue) as error:  # noqa: BLE001 - a reward may raise anything, and exit
            return self.failed(error, offered)

    async def awaited(self, offered: Mapping[str, Any]) -> list[float | None]:
        """The values of a coroutine, beside which others go on."""
        by_place, keywords = self.arguments(offered)
        limit = asyncio.timeout(self.rules.seconds)
        try:
            async with limit:
                returned = await self.function(*by_place, **keywords)
            return self.counted(_checked(self.name, returned, _rows(offered)), offered)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
            return self.failed(Overdue() if limit.expired() else error, offered)

    def arguments(self, offered: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """What it takes of what is offered, by place and as keywords."""
        if missing := self.signature.missing(offered):
            raise PluginError(
                f'reward "{self.name}" needs "{missing[0]}", which is neither a data column nor one of what gpo gives '
                f"to rewards; there are: {', '.join(sorted(offered))}"
            )
        return self.signature.arguments(offered)

    def failed(self, error: BaseException, offered: Mapping[str, Any]) -> list[float | None]:
        """The values of a call that failed; raises where that is to stop the run."""
        if isinstance(error, GpoError) and not isinstance(error, PluginError):
            raise error  # the data or the machine is at fault, and the next call would fail as well
        fault = self.fault(error, _rows(offered))
        if self.rules.on_error == "stop":
            raise fault from (error if fault is not error else None)
        value, what = (0.0, "count 0") if self.rules.on_error == "zero" else (SKIPPED, "are left out with their groups")
        self.note(f"{fault}; its completions {what} (on_error: {self.rules.on_error})")
        return self.counted([value] * _rows(offered), offered, failed=True)

    def fault(self, error: BaseException, rows: int) -> PluginError:
        """What is said of an error."""
        if isinstance(error, PluginError):
            return error
        if isinstance(error, Overdue):
            return PluginError(
                f'reward "{self.name}" took longer than {self.rules.seconds:g} seconds for a batch of {rows}; make it '
                "faster, or give it more time with seconds"
            )
        return PluginError(
            f'reward "{self.name}" failed on a batch of {rows}: {one_line_cause(error)}; mend it, or let it return '
            "None for a completion it cannot score"
        )

    def counted(self, values: Any, offered: Mapping[str, Any], *, failed: bool = False) -> list[float | None]:
        """The values, once the metrics know whether the call failed."""
        log = offered.get("log_metric")
        if self.rules.on_error != "stop" and log is not None:
            log(f"rewards/{self.name}/failed", float(failed))
        return list(values)


def _rows(offered: Mapping[str, Any]) -> int:
    return len(offered["completions"])


def _checked(name: str, returned: Any, rows: int) -> list[float | None]:
    if inspect.iscoroutine(returned):
        returned.close()  # or Python warns that nobody awaited it
        raise PluginError(f'reward "{name}" returned a coroutine; define it with "async def"')
    values = as_list(returned) if getattr(returned, "ndim", 1) == 1 else None
    if values is None:
        raise PluginError(f'reward "{name}" returned {shown(returned)}; return a list with one number a completion')
    if len(values) != rows:
        raise PluginError(
            f'reward "{name}" returned {len(values)} values for {rows} completions; return one number, or None, a '
            "completion"
        )
    return [_checked_value(name, value, row) for row, value in enumerate(values)]


_LARGEST = 3.4e38
"""TRL keeps rewards in 32-bit floats: a larger one would be infinite there, and lost."""


def _checked_value(name: str, value: Any, row: int) -> float | None:
    if value is None:
        return None
    number = as_float(value)
    if number is not None and math.isfinite(number) and abs(number) > _LARGEST:
        raise PluginError(
            f'reward "{name}" returned {shown(value)} for row {row}, which 32 bits cannot hold; return a smaller number'
        )
    if number is None or math.isinf(number):
        raise PluginError(
            f'reward "{name}" returned {shown(value)} for row {row}; return a finite number, or None where it does '
            "not apply"
        )
    return None if math.isnan(number) else number
