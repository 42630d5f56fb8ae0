"""Sources that are read while training: their first rows, and a way to read all of them again and again."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace

from gpocli.data.columns import PROMPT
from gpocli.data.location import STDIN, find_files, kind_of
from gpocli.data.prompts import BadRows
from gpocli.data.read import numbered_rows, prepare
from gpocli.data.rows import Numbered, Part, Rows, gather
from gpocli.errors import SpecError

HEAD = 1000
"""Rows that are read, and looked at, before a run starts."""

Placed = tuple[Part, Numbered]


def _nothing() -> Iterator[Rows]:
    return iter(())


@dataclass(frozen=True, slots=True)
class StreamedRows(Rows):
    """The first rows of a source, of which `read_all` gives every usable row, in order, as `Rows` of one row each.

    `read_all` reads the source anew each time. It raises SpecError with the line of the first row that a run cannot
    use, in the middle of it. All rows have the columns of the first ones.
    """

    read_all: Callable[[], Iterator[Rows]] = _nothing

    def fitting(self, fits: Callable[[Rows], bool]) -> "StreamedRows":
        """The same, of the rows alone for which `fits` is true."""
        read_all = self.read_all
        return replace(self, read_all=lambda: (row for row in read_all() if fits(row)))

    def without_end(self) -> Iterator[Rows]:
        """All usable rows, from the first again after the last. Raises SpecError when there is none."""
        while True:
            row = None
            for row in self.read_all():
                yield row
            if row is None:
                raise SpecError(f"{self.source}: no row can be used; mend the rows")


def file_stream(source: str) -> Callable[[], Iterator[Placed]]:
    """A reader of local files, in order, that holds no more than a few rows at once.

    Raises SpecError for files that cannot be read piece by piece.
    """
    if source == STDIN:
        raise SpecError("'-' cannot be read again, so it cannot be streamed; leave data.streaming out")
    files = find_files(source)
    for name, path in files:
        if kind_of(path) == ".json":
            raise SpecError(f"'{name}' holds one list, which cannot be streamed; write it as .jsonl")

    def read() -> Iterator[Placed]:
        number = 0
        for name, path in files:
            part = Part(name, number, "row" if kind_of(path) == ".parquet" else "line")
            for line, values in numbered_rows(path, kind_of(path), name):
                number = part.before + line
                yield part, (number, values)

    return read


def stream(
    source: str,
    read: Callable[[], Iterator[Placed]],
    *,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    system: str | None = None,
    as_chat: bool = False,
    bad_rows: BadRows = "refuse",
) -> StreamedRows:
    """The rows that `read` gives, of which the first are checked as `prepare` does. Raises SpecError."""
    first = list(itertools.islice(read(), HEAD if limit is None else min(limit, HEAD)))
    parts = list(dict.fromkeys(part for part, _ in first))
    raw = gather(source, [numbered for _, numbered in first], parts=parts)
    head = prepare(raw, columns=columns, system=system, as_chat=as_chat, bad_rows=bad_rows)
    are_chats = isinstance(head[0][PROMPT], list)

    def read_all() -> Iterator[Rows]:
        for part, (number, values) in itertools.islice(read(), limit):
            known = {name: values.get(name) for name in raw.columns}
            row = gather(source, [(number, known)], parts=[part])
            try:
                row = prepare(row, columns=columns, system=system, as_chat=as_chat)
            except SpecError:
                if bad_rows == "refuse":
                    raise
                continue
            if isinstance(row[0][PROMPT], list) != are_chats:
                kinds = ("a list of messages", "plain text")
                this, others = kinds if not are_chats else kinds[::-1]
                raise SpecError(
                    f"{row.place(0)}: prompt is {this}, but {others} in the first row; write all prompts of a source "
                    "in one form"
                )
            yield row

    return StreamedRows(**{field.name: getattr(head, field.name) for field in fields(Rows)}, read_all=read_all)
