"""The rows of a data source: plain Python values, each with the line it stands on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Unit = Literal["line", "row"]

ROW_KEY = "gpo_row"
"""The column under which a trainer finds the number of a row (its line or row number in the source)."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one source, every one with the same columns in the same order.

    Values are what the source says: text is never turned into numbers, dates or nothing. A column that a row
    lacks is None there. `lines` holds the place of each row, counted from 1: a line of a text file, or a row
    of a table. `notes` are remarks for the user, such as how many rows were dropped. `digest` is the SHA-256
    of the file, None for other sources.
    """

    source: str
    columns: tuple[str, ...]
    values: list[dict[str, Any]]
    lines: list[int]
    unit: Unit = "line"
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
        line = self.lines[index]
        return f"{self.source}:{line}" if self.unit == "line" else f"{self.source}: row {line}"

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
    numbered: Sequence[tuple[int, Mapping[str, Any]]],
    *,
    columns: Sequence[str] = (),
    unit: Unit = "line",
    digest: str | None = None,
) -> Rows:
    """Rows from (line, values) pairs; the columns are `columns` and then all others in order of
    appearance."""
    names = dict.fromkeys(columns)
    for _, values in numbered:
        if values.keys() != names.keys():
            names.update(dict.fromkeys(values))
    return Rows(
        source=source,
        columns=tuple(names),
        values=[{name: values.get(name) for name in names} for _, values in numbered],
        lines=[line for line, _ in numbered],
        unit=unit,
        digest=digest,
    )
