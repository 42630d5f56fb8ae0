"""Rows as a trainer takes them, handed on unchanged."""

import pickle
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpocli.data import ROW_KEY, Rows
from gpocli.data.store import RowStore, keep
from gpocli.data.stream import StreamedRows

if TYPE_CHECKING:
    import datasets


def to_dataset(rows: Rows) -> "datasets.Dataset | datasets.IterableDataset":
    """A dataset whose items are the very rows, with their number in the source under `ROW_KEY`.

    It stores only indices, so that Arrow never gives a value another type: "007", "2024-05-01" and columns of mixed
    types reach the rewards as they are. Items are read anew each time: a reward that changes one spoils no later step.
    Streamed rows come without end, so that they have one epoch, in any place of which a run can be resumed.
    """
    import datasets
    import numpy as np

    if isinstance(rows, StreamedRows):
        return datasets.IterableDataset(datasets.iterable_dataset.ExamplesIterable(_Endless(rows), {}))
    dataset = datasets.Dataset.from_dict({ROW_KEY: np.arange(len(rows))})
    values = rows.values if isinstance(rows.values, RowStore) else keep(rows.values, rows.columns)
    dataset.set_transform(_Lookup(values, array("Q", rows.lines)))
    return dataset


class _Endless:
    """The items of streamed rows, from the first again after the last."""

    def __init__(self, rows: StreamedRows) -> None:
        self.rows = rows

    def __call__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for row in self.rows.without_end():
            yield row.lines[0], {**row[0], ROW_KEY: row.lines[0]}


@dataclass(frozen=True)
class _Lookup:
    """The transform of `to_dataset`: columns of row indices become columns of the rows' values."""

    values: RowStore
    lines: "array[int]"

    def __call__(self, batch: dict[str, list[int]]) -> dict[str, list[Any]]:
        items = [self.values[index] for index in batch[ROW_KEY]]
        columns = {name: [item[name] for item in items] for name in self.values.columns}
        return columns | {ROW_KEY: [self.lines[index] for index in batch[ROW_KEY]]}

    def __reduce__(self) -> tuple[Callable[[bytes], "_Lookup"], tuple[bytes]]:
        # datasets hashes a transform with its own pickler, in Python: one blob is ten times faster (100k rows).
        return _restore, (pickle.dumps((self.values, self.lines.tobytes())),)


def _restore(blob: bytes) -> _Lookup:
    values, lines = pickle.loads(blob)
    return _Lookup(values, array("Q", lines))
