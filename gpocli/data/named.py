"""Rows that are worth a look: counted by what is the matter with them, and listed by their places."""

from collections.abc import Iterator
from dataclasses import dataclass, field

LISTED = 1000
"""Places that are kept of each kind, for programs."""
_SHOWN = 5
"""Of these, for people."""


@dataclass(slots=True)
class Named:
    """Rows of one kind: what is said of the first of them, how many they are, and the first `LISTED` places."""

    kind: str
    line: str
    count: int = 0
    places: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if self.count == 1:
            return self.line
        more = ", ..." if self.count > 1 + _SHOWN else ""
        return f"{self.line} (the first of {self.count:,}; others: {', '.join(self.places[1 : 1 + _SHOWN])}{more})"


class NamedRows:
    """Rows by kind, in the order in which the kinds came up."""

    def __init__(self) -> None:
        self._of_kind: dict[str, Named] = {}

    def __iter__(self) -> Iterator[Named]:
        return iter(self._of_kind.values())

    def add(self, kind: str, place: str, line: str) -> None:
        """Count a row at `place`, of which `line` tells, if it is the first of its kind."""
        named = self._of_kind.setdefault(kind, Named(kind, line))
        named.count += 1
        if len(named.places) < LISTED:
            named.places.append(place)
