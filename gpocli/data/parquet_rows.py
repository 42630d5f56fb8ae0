"""Rows of parquet files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from gpocli.errors import SpecError


def read_parquet(file: Path | BinaryIO, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a parquet file as Python values, numbered from 1. Raises SpecError when it is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as table:
            number = 0
            for batch in table.iter_batches():
                for values in batch.to_pylist():
                    number += 1
                    yield number, values
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise SpecError(f"cannot read '{source}' as parquet ({reason}); write it again") from error
