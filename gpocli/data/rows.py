"""The rows of a data source: plain Python values, each with the line it stands on, and what is wrong with a line."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gpocli.errors import SpecError

Unit = Literal["line", "row"]
Numbered = tuple[int, Mapping[str, Any]]

ROW_KEY = "gpo_row"
"""The column under which a trainer finds the number of a row (its line or row number in the source)."""


class RowFault(SpecError):
    """What is wrong with one row or line, `place: text`; faults of one `kind` are counted together."""

    def __init__(self, place: str, text: str, kind: str) -> None:
        super().__init__(f"{place}: {text}")
        self.kind = kind


OnFault = Callable[[RowFault], None]
"""What a reader calls for a fault; when it returns, the reader goes on after the fault if that can be done."""


def refuse(fault: RowFault) -> None:
    """Raise the fault: the answer of those who need every row."""
    raise fault


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a source: `before` is the number that all of its rows are above, line 1 being `before` + 1.

    A `unit` of "row" is a table, which has no lines and fills what is missing with nulls.
    """

    source: str
    before: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one source, every one with the same columns in the same order.

    Values are what the source says: text is never turned into numbers, dates or nothing. A column that a row
    lacks is None there. `lines` holds the place of each row, counted from 1: a line of a text file, or a row
    of a table; with several files (`parts`) the numbers go on from file to file. `notes` are remarks for the user,
    such as how many rows were dropped. `digest` is the SHA-256 of the bytes of the files, None for other sources.
    """

    source: str
    columns: tuple[str, ...]
    values: list[dict[str, Any]]
    lines: list[int]
    parts: tuple[Part, ...]
    digest: str | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.values)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.values[index]

    def place(self, index: int) -> str:
        """Where row `index` (from 0) stands, as messages show it: `file:line`, or `table: row n`."""
        part = self.part_of(index)
        line = self.lines[index] - part.before
        return f"{part.source}:{line}" if part.unit == "line" else f"{part.source}: row {line}"

    def part_of(self, index: int) -> Part:
        """The file that row `index` (from 0) comes from."""
        return next(part for part in reversed(self.parts) if part.before < self.lines[index])

    def select(self, indices: Sequence[int], *notes: str) -> "Rows":
        """The rows at `indices` (from 0), with `notes` added."""
        return replace(
            self,
            values=[self.values[index] for index in indices],
            lines=[self.lines[index] for index in indices],
            notes=(*self.notes, *notes),
        )


def gather(
    source: str,
    numbered: Sequence[Numbered],
    *,
    columns: Sequence[str] = (),
    unit: Unit = "line",
    parts: Sequence[Part] = (),
    digest: str | None = None,
) -> Rows:
    """Rows from (line, values) pairs, of the `parts` or else of one with that `unit`.

    The columns are `columns` and then all others in order of appearance.
    """
    names = dict.fromkeys(columns)
    for _, values in numbered:
        if values.keys() != names.keys():  # hardly ever, and comparing is much quicker than updating
            names.update(dict.fromkeys(values))
    return Rows(
        source=source,
        columns=tuple(names),
        values=[{name: values.get(name) for name in names} for _, values in numbered],
        lines=[line for line, _ in numbered],
        parts=tuple(parts) or (Part(source, 0, unit),),
        digest=digest,
    )
