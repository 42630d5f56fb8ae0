"""Rows from local files or standard input, as they are, in the formats and encodings that people really have."""

import functools
import gzip
import hashlib
import io
import itertools
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

from gpocli.data.csv_rows import read_csv
from gpocli.data.json_rows import read_json, read_jsonl
from gpocli.data.location import STDIN, STDIN_NAME, find_files, kind_of
from gpocli.data.rows import Numbered, OnFault, Part, RowFault, Rows, gather, refuse
from gpocli.data.table_rows import ARROW_FILE, ARROW_STREAM, TABLES, read_arrow, read_parquet
from gpocli.errors import SpecError

Placed = tuple[Part, Numbered]
"""A row with its number in the source, and the file it comes from."""

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_file(source: str, *, limit: int | None = None, on_fault: OnFault = refuse) -> Rows:
    """The rows of local files as they are, with the digest of all their bytes; tells the faults of rows.

    `source` is one file, several with commas between them, a pattern, a folder, or `-` for standard input. Reads
    `.jsonl`, `.ndjson`, `.json`, `.csv`, `.tsv` (each also as `.gz`), `.parquet` and `.arrow`. `limit` takes the first
    rows only. Raises SpecError for files that cannot be read at all.
    """
    files = _files(source)
    parts: dict[Part, None] = {}

    def numbered() -> Iterator[Numbered]:
        for part, row in itertools.islice(placed_rows(source, on_fault), limit):
            parts[part] = None
            yield row

    rows = gather(files[0][0] if len(files) == 1 else source, numbered())
    return replace(rows, parts=tuple(parts) or rows.parts, digest=_digest(file for _, _, file in files))


def placed_rows(source: str, on_fault: OnFault = refuse) -> Iterator[Placed]:
    """The rows of local files, one after another, read only as they are asked for."""
    number = 0
    for name, kind, file in _files(source):
        part = Part(name, number, "row" if kind in TABLES else "line")
        for line, values in _numbered_rows(file, kind, name, on_fault):
            number = part.before + line
            yield part, (number, values)


def _files(source: str) -> list[tuple[str, str, Path | BinaryIO]]:
    """The name, the kind (its suffix) and the place of each file that `source` names."""
    if source == STDIN:
        data = standard_input()
        return [(STDIN_NAME, _kind_of_bytes(data), io.BytesIO(data))]
    return [(name, kind_of(path), path) for name, path in find_files(source)]


def _numbered_rows(file: Path | BinaryIO, kind: str, name: str, on_fault: OnFault) -> Iterator[Numbered]:
    match kind:
        case ".parquet":
            return read_parquet(file, name)
        case ".arrow":
            return read_arrow(file, name)
        case ".csv" | ".tsv":
            return read_csv(_lines(file, name, on_fault), name, "," if kind == ".csv" else "\t", on_fault)
        case ".json":
            return read_json(_lines(file, name, on_fault), name, on_fault)
        case _:
            return read_jsonl(_lines(file, name, on_fault), name, on_fault)


def _digest(files: Iterator[Path | BinaryIO]) -> str:
    """The SHA-256 of the bytes of all files, one after the other."""
    whole = hashlib.sha256()
    for place in files:
        with place.open("rb") if isinstance(place, Path) else place as file:
            hashlib.file_digest(file, lambda: whole)  # type: ignore[arg-type]
    return whole.hexdigest()


def _lines(file: Path | BinaryIO, name: str, on_fault: OnFault) -> Iterator[tuple[int, str]]:
    """The (line number, text) pairs of a UTF-8 file, a `.gz` one too, each text with its line feed.

    A byte order mark is dropped. Tells bytes that are not UTF-8 (and goes on with replacement characters), other
    encodings and a damaged archive (and ends). Raises SpecError for a file that cannot be read at all.
    """
    try:
        with _opened(file) as lines:
            # Not text mode, where U+2028, U+0085 and their like would end lines too, which JSON strings may hold.
            for number, raw in enumerate(lines, start=1):
                if number == 1:
                    if raw.startswith(_UTF16_BOMS) or b"\0" in raw[:4]:  # Excel saves "Unicode text" so
                        text = "the file is UTF-16 or UTF-32, not UTF-8; save it as UTF-8"
                        on_fault(RowFault(f"{name}:1", text, "not UTF-8"))
                        return
                    raw = raw.removeprefix(_UTF8_BOM)
                yield number, _decode(raw, f"{name}:{number}", on_fault)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        on_fault(RowFault(name, f"not a whole gzip file ({error}); write it again", "damaged gzip"))
    except OSError as error:
        raise SpecError(f"cannot read '{name}': {error.strerror}; check its permissions") from error


def _opened(file: Path | BinaryIO) -> BinaryIO:
    if isinstance(file, Path):
        return cast(BinaryIO, gzip.open(file, "rb")) if file.name.lower().endswith(".gz") else file.open("rb")
    return file


def _decode(raw: bytes, place: str, on_fault: OnFault) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        text = (
            f"byte 0x{byte:02x} is not UTF-8 (in Windows-1252 it would be "
            f"'{bytes([byte]).decode('cp1252', 'replace')}'); save the file as UTF-8"
        )
        on_fault(RowFault(place, text, "not UTF-8"))
        return raw.decode("utf-8", "replace")  # so that other faults of the line are found too


@functools.cache  # it can be read once only, and a run asks for its rows more than once
def standard_input() -> bytes:
    """All bytes of standard input, unpacked if they are a gzip file. Raises SpecError for a terminal."""
    if sys.stdin is None or sys.stdin.isatty():
        raise SpecError("'-' reads rows from standard input, which is a terminal; pipe a file into the command")
    data = sys.stdin.buffer.read()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def _kind_of_bytes(data: bytes) -> str:
    """The suffix of a file that would hold `data`: `.parquet`, `.arrow`, `.json`, `.jsonl`, `.tsv` or `.csv`."""
    if data.startswith(b"PAR1"):
        return ".parquet"
    if data.startswith((ARROW_STREAM, ARROW_FILE)):
        return ".arrow"
    start = data.removeprefix(_UTF8_BOM).lstrip()
    if start.startswith(b"["):
        return ".json"
    if start.startswith(b"{") or not start:
        return ".jsonl"
    header = start.split(b"\n", 1)[0]
    return ".tsv" if b"\t" in header and b"," not in header else ".csv"
