"""Rows from standard input: read once, in whatever format they turn out to have."""

import functools
import gzip
import io
import sys

from gpocli.errors import SpecError

NAME = "stdin"
"""What messages call standard input: `stdin:3: ...`."""


@functools.cache
def standard_input() -> bytes:
    """All bytes of standard input, unpacked if they are a gzip file. Raises SpecError for a terminal."""
    if sys.stdin is None or sys.stdin.isatty():
        raise SpecError("'-' reads rows from standard input, which is a terminal; pipe a file into the command")
    data = sys.stdin.buffer.read()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def kind_of_bytes(data: bytes) -> str:
    """The suffix of a file that would hold `data`: `.parquet`, `.json`, `.jsonl`, `.tsv` or `.csv`."""
    if data.startswith(b"PAR1"):
        return ".parquet"
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"["):
        return ".json"
    if start.startswith(b"{") or not start:
        return ".jsonl"
    first_line = start.split(b"\n", 1)[0]
    return ".tsv" if b"\t" in first_line and b"," not in first_line else ".csv"


def opened() -> io.BytesIO:
    """Standard input as a file that can be read again."""
    return io.BytesIO(standard_input())
