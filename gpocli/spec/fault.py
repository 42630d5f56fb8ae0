"""A fault of a run spec or of what it names, and the error that shows all of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gpocli.errors import EnvironmentFault, GpoError, PluginError, SpecError
from gpocli.spec.layer import Place

FaultKind = Literal["spec", "plugin", "environment"]
_ERRORS: dict[FaultKind, type[GpoError]] = {
    "spec": SpecError,
    "plugin": PluginError,
    "environment": EnvironmentFault,
}
"""From the kind that decides the exit code of several faults to the one that gives way."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One line for the user: where, which key (empty for a whole file), what is wrong and what to write."""

    place: Place
    key: str
    text: str
    kind: FaultKind = "spec"

    def __str__(self) -> str:
        parts = [str(self.place), self.key, self.text] if self.key else [str(self.place), self.text]
        # a fault is one line, and moves no cursor, whatever the user's text holds
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in ": ".join(parts))


def in_order(faults: Iterable[Fault], sources: Iterable[str]) -> list[Fault]:
    """The faults without repeats, in the order of `sources`, then by line and column."""
    order = {source: i for i, source in enumerate(dict.fromkeys(sources))}

    def rank(fault: Fault) -> tuple[int, int, int]:
        return order.get(fault.place.source, len(order)), fault.place.line, fault.place.column

    return list({str(fault): fault for fault in sorted(faults, key=rank)}.values())


def as_error(faults: Iterable[Fault]) -> GpoError:
    """Build the error for `faults`, one a line; its exit code is 3 or 5 only if no fault is of the spec."""
    listed = list(faults)
    kinds = {fault.kind for fault in listed}
    error = next(error for kind, error in _ERRORS.items() if kind in kinds)
    return error("\n".join(map(str, listed)))
