"""Sources that are read while training: their first rows, and a way to read all of them again and again."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

from gpocli.data.prompts import prepare, refuse_mixed
from gpocli.data.read import Placed
from gpocli.data.rows import Rows, gather
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec

HEAD = 1000
"""Rows that are read, and looked at, before a run starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedRows(Rows):
    """The first rows of a source, of which `read_all` gives every usable row, in order, as `Rows` of one row each.

    `read_all` reads the source anew each time. It raises SpecError with the line of the first row that a run cannot
    use, in the middle of it. All rows have the columns of the first ones.
    """

    read_all: Callable[[], Iterator[Rows]]

    def fitting(self, fits: Callable[[Rows], bool]) -> "StreamedRows":
        """The same, of the rows alone for which `fits` is true."""
        read_all = self.read_all
        return replace(self, read_all=lambda: filter(fits, read_all()))

    def without_end(self) -> Iterator[Rows]:
        """All usable rows, from the first again after the last. Raises SpecError when there is none."""
        while True:
            row = None
            for row in self.read_all():
                yield row
            if row is None:  # or it would look for one for ever
                raise SpecError(f"{self.source}: no row can be used; mend the rows")


def stream(data: DataSpec, read: Callable[[], Iterator[Placed]]) -> StreamedRows:
    """The rows that `read` gives, of which the first are checked as `prepare` does. Raises SpecError."""
    first = list(itertools.islice(read(), HEAD if data.limit is None else min(data.limit, HEAD)))
    parts = list(dict.fromkeys(part for part, _ in first))
    raw = gather(data.source, [numbered for _, numbered in first], parts=parts)
    head = prepare(raw, data)
    strict = data.model_copy(update={"bad_rows": "refuse"})

    def read_all() -> Iterator[Rows]:
        for part, (number, values) in itertools.islice(read(), data.limit):
            # A column that comes up later is left out: the trainer has fixed its columns by then.
            known = {name: values.get(name) for name in raw.columns}
            try:
                row = prepare(gather(data.source, [(number, known)], parts=[part]), strict, whole=False)
            except SpecError:
                if data.bad_rows == "refuse":
                    raise
                continue
            refuse_mixed(row, head)
            yield row

    return StreamedRows(**{field.name: getattr(head, field.name) for field in fields(Rows)}, read_all=read_all)
