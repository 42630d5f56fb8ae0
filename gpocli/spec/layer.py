"""Layers that a run spec is merged from, and where in them each value stands."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Key = tuple[str | int, ...]
"""Path to a value: names in mappings, numbers in lists."""


def dotted(key: Key) -> str:
    """Write a path as users do: `algorithm.filters.0.name`."""
    return ".".join(map(str, key))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a user wrote something: a position in a file, an option of the command line, or a layer."""

    source: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source


@dataclass(frozen=True, slots=True)
class Layer:
    """Part of a run spec from one source; `places` tells where its values stand, as far as is known."""

    name: str
    data: Mapping[str, Any]
    places: Mapping[Key, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A value for one dotted path, as `--set` and the flags of the command line give."""

    path: str
    value: Any
    place: Place
