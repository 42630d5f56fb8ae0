"""A fault of a run spec, and the error that shows all of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from gpocli.errors import SpecError
from gpocli.spec.layer import Place


@dataclass(frozen=True, slots=True)
class Fault:
    """One line for the user: where, which key (empty for a whole file), what is wrong and what to write."""

    place: Place
    key: str
    text: str

    def __str__(self) -> str:
        parts = [str(self.place), self.key, self.text] if self.key else [str(self.place), self.text]
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in ": ".join(parts))


def all_at_once(faults: Iterable[Fault], sources: Iterable[str]) -> SpecError:
    """Build the error for `faults`: one a line, in the order of `sources`, then by line and column."""
    order = {source: i for i, source in enumerate(dict.fromkeys(sources))}

    def rank(fault: Fault) -> tuple[int, int, int]:
        return order.get(fault.place.source, len(order)), fault.place.line, fault.place.column

    return SpecError("\n".join(dict.fromkeys(str(fault) for fault in sorted(faults, key=rank))))
