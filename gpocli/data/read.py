"""Rows from local files or standard input, checked and ready for a trainer."""

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from gpocli.data.columns import map_columns, refuse_reserved, require_prompt_column
from gpocli.data.csv_rows import read_csv
from gpocli.data.faults import OnFault, refuse
from gpocli.data.json_rows import read_json, read_jsonl
from gpocli.data.location import STDIN, find_files, kind_of
from gpocli.data.parquet_rows import read_parquet
from gpocli.data.prompts import BadRows, prepare_prompts
from gpocli.data.rows import Numbered, Part, Rows, Unit, gather
from gpocli.data.standard_input import NAME, kind_of_bytes, opened, standard_input
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
    """The rows of the local files that `source` names, ready for a trainer: see `prepare` for what is checked.

    `source` is one file, several with commas between them, a pattern, a folder, or `-` for standard input. Reads
    `.jsonl`, `.ndjson`, `.json`, `.csv`, `.tsv` (each also as `.gz`) and `.parquet`. `limit` takes the first rows
    only. Raises SpecError with the line of the fault.
    """
    return prepare(
        read_file(source, limit=limit),
        columns=columns,
        system=system,
        as_chat=as_chat,
        bad_rows=bad_rows,
    )


def read_file(source: str, *, limit: int | None = None, on_fault: OnFault = refuse) -> Rows:
    """The rows of local files as they are, with the digest of all their bytes; tells the faults of rows.

    Raises SpecError for files that cannot be read at all.
    """
    if source == STDIN:
        kind = kind_of_bytes(standard_input())
        rows = itertools.islice(numbered_rows(opened(), kind, NAME, on_fault), limit)
        return gather(NAME, list(rows), unit=_unit(kind), digest=hashlib.sha256(standard_input()).hexdigest())
    files = find_files(source)
    numbered: list[Numbered] = []
    parts = []
    for name, path in files:
        before = numbered[-1][0] if numbered else 0
        left = None if limit is None else limit - len(numbered)
        parts.append(Part(name, before, _unit(kind_of(path))))
        rows = itertools.islice(numbered_rows(path, kind_of(path), name, on_fault), left)
        numbered += [(before + number, values) for number, values in rows]
    if len(parts) == 1:
        return gather(parts[0].source, numbered, unit=parts[0].unit, digest=_digest(files))
    return gather(source, numbered, digest=_digest(files), parts=parts)


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


def numbered_rows(
    file: Path | BinaryIO, kind: str, source: str, on_fault: OnFault = refuse
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of one file of a `kind` (its suffix), each with its line or number; `source` is its name in messages."""
    match kind:
        case ".parquet":
            return read_parquet(file, source)
        case ".csv":
            return read_csv(read_lines(file, source, on_fault), source, ",", on_fault)
        case ".tsv":
            return read_csv(read_lines(file, source, on_fault), source, "\t", on_fault)
        case ".json":
            return read_json(read_lines(file, source, on_fault), source, on_fault)
        case _:
            return read_jsonl(read_lines(file, source, on_fault), source, on_fault)


def _unit(kind: str) -> Unit:
    return "row" if kind == ".parquet" else "line"


def _digest(files: list[tuple[str, Path]]) -> str:
    """The SHA-256 of the bytes of all files, one after the other."""
    whole = hashlib.sha256()
    for _, path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()
