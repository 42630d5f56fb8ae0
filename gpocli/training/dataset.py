"""Rows as a trainer takes them, handed on unchanged."""

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gpocli.data import ROW_KEY, Rows
from gpocli.data.stream import StreamedRows

if TYPE_CHECKING:
    import datasets


def to_dataset(rows: Rows) -> "datasets.Dataset | datasets.IterableDataset":
    """A dataset whose items are the very rows, with their number in the source under `ROW_KEY`.

    It stores only indices, so that Arrow never gives a value another type: "007", "2024-05-01" and columns of mixed
    types reach the rewards as they are. Items are copies: a reward that changes one spoils no later step. Streamed rows
    come without end, so that they have one epoch, in any place of which a run can be resumed.
    """
    import datasets

    if isinstance(rows, StreamedRows):
        return datasets.IterableDataset(datasets.iterable_dataset.ExamplesIterable(_Endless(rows), {}))
    items = [{**values, ROW_KEY: line} for values, line in zip(rows.values, rows.lines, strict=True)]
    dataset = datasets.Dataset.from_dict({ROW_KEY: list(range(len(items)))})
    dataset.set_transform(_Lookup(items))
    return dataset


class _Endless:
    """The items of streamed rows, from the first again after the last."""

    def __init__(self, rows: StreamedRows) -> None:
        self.rows = rows

    def __call__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for row in self.rows.without_end():
            yield row.lines[0], {**row[0], ROW_KEY: row.lines[0]}


class _Lookup:
    """The transform of `to_dataset`: columns of row indices become columns of the rows' values."""

    def __init__(self, items: list[dict[str, Any]]) -> None:
        self.items = items

    def __call__(self, batch: dict[str, list[int]]) -> dict[str, list[Any]]:
        items = [copy.deepcopy(self.items[index]) for index in batch[ROW_KEY]]
        return {name: [item[name] for item in items] for name in self.items[0]}

    def __reduce__(self) -> tuple[Callable[[bytes], "_Lookup"], tuple[bytes]]:
        # datasets hashes a transform with its own pickler, in Python: one blob is ten times faster (100k rows).
        return _restore, (pickle.dumps(self.items),)


def _restore(blob: bytes) -> _Lookup:
    return _Lookup(pickle.loads(blob))
