"""The rows of a data source: plain Python values, each with the line it stands on, and what is wrong with a line."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gpocli.data.store import RowStore, keep
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
    lacks is None there. A row that is asked for is a new object each time (see `RowStore`). `lines` holds the place of
    each row, counted from 1: a line of a text file, or a row of a table; with several files (`parts`) the numbers go on
    from file to file. `notes` are remarks for the user, such as how many rows were dropped. `digest` is the SHA-256 of
    the bytes of the files, None for other sources.
    """

    source: str
    columns: tuple[str, ...]
    values: Sequence[dict[str, Any]]
    lines: Sequence[int]
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

    def is_of_table(self, index: int) -> bool:
        """Whether row `index` (from 0) comes from a table, which fills what is missing with nulls."""
        return self.part_of(index).unit == "row"

    def select(self, indices: Sequence[int], *notes: str) -> "Rows":
        """The rows at `indices` (from 0), with `notes` added."""
        values = self.values
        return replace(
            self,
            values=values.select(indices) if isinstance(values, RowStore) else [values[index] for index in indices],
            lines=array("Q", (self.lines[index] for index in indices)),
            notes=(*self.notes, *notes),
        )

    def with_values(self, values: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> "Rows":
        """The same rows with other values, which are taken one by one, in `columns`."""
        return replace(self, values=keep(values, columns), columns=tuple(columns))

    def blocks(self, size: int = 1000) -> Iterator["Rows"]:
        """The rows in order, `size` at a time."""
        for start in range(0, len(self), size):
            yield self.select(range(start, min(start + size, len(self))))


def gather(
    source: str,
    numbered: Iterable[Numbered],
    *,
    columns: Sequence[str] = (),
    unit: Unit = "line",
    parts: Sequence[Part] = (),
    digest: str | None = None,
) -> Rows:
    """Rows from (line, values) pairs, which are taken one by one, of the `parts` or else of one with that `unit`.

    The columns are `columns` and then all others in order of appearance.
    """
    lines = array("Q")

    def values() -> Iterator[Mapping[str, Any]]:
        for line, row in numbered:
            lines.append(line)
            yield row

    kept = keep(values(), columns)
    return Rows(
        source=source,
        columns=kept.columns,
        values=kept,
        lines=lines,
        parts=tuple(parts) or (Part(source, 0, unit),),
        digest=digest,
    )
