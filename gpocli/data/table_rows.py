"""Rows of tables: parquet files, and arrow files as `datasets`, polars and others write them."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from gpocli.data.rows import Numbered
from gpocli.errors import SpecError, first_line

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = (".parquet", ".arrow")
"""Files whose rows are numbered, for they have no lines."""
ARROW_STREAM = b"\xff\xff\xff\xff"
ARROW_FILE = b"ARROW1"
"""How an arrow file starts: one that is written from start to end, as `datasets` does, and one with an index."""

_BATCH = 1024
"""Rows that are held in memory at once."""


def read_parquet(file: Path | BinaryIO, name: str) -> Iterator[Numbered]:
    """The rows of a parquet file. Raises SpecError for one that is damaged."""
    import pyarrow.parquet as pq

    with _reading(name, "parquet"), pq.ParquetFile(file) as table:
        yield from _rows(table.iter_batches(_BATCH))


def read_arrow(file: Path | BinaryIO, name: str) -> Iterator[Numbered]:
    """The rows of an arrow file of either kind. Raises SpecError for one that is damaged."""
    import pyarrow as pa

    with _reading(name, "arrow"), _opened(file) as source:
        starts_as_file = source.read(len(ARROW_FILE)) == ARROW_FILE
        source.seek(0)
        if starts_as_file:
            with pa.ipc.open_file(source) as table:
                yield from _rows(map(table.get_batch, range(table.num_record_batches)))
        else:
            with pa.ipc.open_stream(source) as stream:
                yield from _rows(stream)


def _opened(file: Path | BinaryIO) -> "pa.NativeFile":
    """The file without a copy of it in memory, for one batch may hold all of its rows."""
    import pyarrow as pa

    return pa.memory_map(str(file)) if isinstance(file, Path) else pa.BufferReader(file.read())


@contextmanager
def _reading(name: str, kind: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:  # text that is none, a year of no calendar
        raise SpecError(f"cannot read '{name}' as {kind} ({first_line(error)}); write it again") from error


def _rows(batches: "Iterable[pa.RecordBatch]") -> Iterator[Numbered]:
    number = 0
    for batch in batches:
        readers = {field.name: read for field in batch.schema if (read := _json_reader(field.type)) is not None}
        for start in range(0, batch.num_rows, _BATCH):
            for values in batch.slice(start, _BATCH).to_pylist():
                number += 1
                yield number, values | {name: read(values[name]) for name, read in readers.items()}


def _json_reader(kind: "pa.DataType") -> Callable[[Any], Any] | None:
    """What reads values of a column that holds JSON, in lists and structs too; None for one that holds none.

    `datasets` has its type `Json` for columns whose values differ in form, and reads it where it loads them.
    """
    import pyarrow as pa

    if getattr(kind, "extension_name", None) == "arrow.json":
        return lambda text: None if text is None else json.loads(text)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        read = _json_reader(kind.value_type)
        return read and (lambda values: None if values is None else [read(value) for value in values])
    if pa.types.is_struct(kind):
        fields = {field.name: read for field in kind if (read := _json_reader(field.type)) is not None}
        return _struct_reader(fields) if fields else None
    return None


def _struct_reader(fields: dict[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def read(values: Any) -> Any:
        return None if values is None else values | {name: one(values[name]) for name, one in fields.items()}

    return read
