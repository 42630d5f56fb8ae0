"""Lines of a text file, with the encodings that people really have answered by a clear message."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from gpocli.errors import SpecError

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: Path, source: str) -> Iterator[tuple[int, str]]:
    """The (line number, text) pairs of a UTF-8 file, a `.gz` one too, each text with its line feed.

    Only `\\n` ends a line: U+2028, U+0085 and their like stay inside. A byte order mark is dropped. Raises
    SpecError for any other encoding and for a damaged archive.
    """
    try:
        with _open(path) as file:
            for number, raw in enumerate(file, start=1):
                if number == 1:
                    _refuse_utf16(raw, source)
                    raw = raw.removeprefix(_UTF8_BOM)
                yield number, _decode(raw, f"{source}:{number}")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SpecError(f"{source}: not a whole gzip file ({error}); write it again") from error
    except OSError as error:
        raise SpecError(f"cannot read '{source}': {error.strerror}; check its permissions") from error


def _open(path: Path) -> BinaryIO:
    if path.name.lower().endswith(".gz"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


def _refuse_utf16(first_line: bytes, source: str) -> None:
    if first_line.startswith(_UTF16_BOMS) or b"\0" in first_line[:4]:
        raise SpecError(f"{source}:1: the file is UTF-16 or UTF-32, not UTF-8; save it as UTF-8")


def _decode(raw: bytes, place: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise SpecError(
            f"{place}: byte 0x{byte:02x} is not UTF-8 (in Windows-1252 it would be "
            f"'{bytes([byte]).decode('cp1252', 'replace')}'); save the file as UTF-8"
        ) from error
