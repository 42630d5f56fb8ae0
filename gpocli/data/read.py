"""Rows from a local file, checked and ready for a trainer."""

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpocli.data.columns import map_columns, refuse_reserved, require_prompt_column
from gpocli.data.csv_rows import read_csv
from gpocli.data.json_rows import read_json, read_jsonl
from gpocli.data.location import find_file, kind_of
from gpocli.data.parquet_rows import read_parquet
from gpocli.data.prompts import BadRows, prepare_prompts
from gpocli.data.rows import Rows, Unit, gather
from gpocli.data.text import read_lines
from gpocli.errors import SpecError


def read_rows(
    source: str,
    *,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    system: str | None = None,
    as_chat: bool = False,
    bad_rows: BadRows = "refuse",
) -> Rows:
    """The rows of the local file `source`, ready for a trainer: see `prepare` for what is checked.

    Reads `.jsonl`, `.ndjson`, `.json`, `.csv`, `.tsv` (each also as `.gz`) and `.parquet`. `limit` takes the
    first rows of the file only. Raises SpecError with the line of the fault.
    """
    return prepare(
        read_file(source, limit=limit),
        columns=columns,
        system=system,
        as_chat=as_chat,
        bad_rows=bad_rows,
    )


def read_file(source: str, *, limit: int | None = None) -> Rows:
    """The rows of a local file as they are, with the digest of the whole file. Raises SpecError."""
    path = find_file(source)
    numbered = list(itertools.islice(_numbered(path, source), limit))
    unit: Unit = "row" if kind_of(path) == ".parquet" else "line"
    return gather(source, numbered, unit=unit, digest=_digest(path))


def prepare(
    rows: Rows,
    *,
    columns: Mapping[str, str] | None = None,
    system: str | None = None,
    as_chat: bool = False,
    bad_rows: BadRows = "refuse",
) -> Rows:
    """Rows of any source, with columns renamed and prompts checked (see `prepare_prompts`).

    `columns` holds the new name of each renamed column and its name in the source. Raises SpecError when
    there are no rows, no prompt column, a reserved column name, bad prompts, or plain and chat prompts mixed.
    """
    if not rows.values:
        raise SpecError(f"{rows.source}: holds no rows; name a source that has some")
    rows = map_columns(rows, columns or {})
    require_prompt_column(rows)
    refuse_reserved(rows)
    return prepare_prompts(rows, system=system, as_chat=as_chat, bad_rows=bad_rows)


def _numbered(path: Path, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    match kind_of(path):
        case ".parquet":
            return read_parquet(path, source)
        case ".csv":
            return read_csv(read_lines(path, source), source, ",")
        case ".tsv":
            return read_csv(read_lines(path, source), source, "\t")
        case ".json":
            return read_json(read_lines(path, source), source)
        case _:
            return read_jsonl(read_lines(path, source), source)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
