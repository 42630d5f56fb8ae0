"""What a trial found, and how values are compared and written in it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: the finding in a few words, and a line for each fault."""

    name: str
    finding: str
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KindRow:
    """The values that the completions of one kind got. `missing` of them got none, a filter kept `kept` of them."""

    kind: str
    count: int
    missing: int
    lowest: float | None
    mean: float | None
    highest: float | None
    kept: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A trial of a filter or reward; `subject` says which, and where it is from."""

    subject: str
    samples: str
    notes: tuple[str, ...]
    kinds: tuple[KindRow, ...]
    checks: tuple[Check, ...]

    @property
    def faults(self) -> list[str]:
        """All faults, one line each."""
        return [fault for check in self.checks for fault in check.faults]


def kind_rows(
    kinds: Sequence[str], values: Sequence[float | None], kept: Sequence[bool] | None = None
) -> tuple[KindRow, ...]:
    """A row for each kind, in order of appearance, from the kind and the value of each completion."""
    rows = []
    for kind in dict.fromkeys(kinds):
        members = [index for index, one in enumerate(kinds) if one == kind]
        known = [value for value in (values[index] for index in members) if value is not None]
        lowest, mean, highest = (min(known), fmean(known), max(known)) if known else (None,) * 3
        kept_here = None if kept is None else sum(kept[index] for index in members)
        rows.append(KindRow(kind, len(members), len(members) - len(known), lowest, mean, highest, kept_here))
    return tuple(rows)


def first_difference(one: Sequence[float | None], other: Sequence[float | None]) -> int | None:
    """The first index at which two lists of values differ by more than rounding; None when they do not."""
    for index, (a, b) in enumerate(zip(one, other, strict=True)):
        if a is None or b is None:
            if a is not b:
                return index
        elif not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
            return index
    return None


_LEAST = 1e-300  # less only ranks what is equal otherwise


def number(value: float | None) -> str:
    """A value as tables and messages show it."""
    if value is None:
        return "None"
    return f"{0 if abs(value) < _LEAST else value:.6g}"


def duration(seconds: float) -> str:
    """A time with two digits or more: `12 µs`, `3.4 ms`, `1.2 s`."""
    value, unit = seconds, "s"
    for smaller in ("ms", "µs"):
        if value < 1:
            value, unit = value * 1000, smaller
    return f"{value:.1f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
