"""Lines of a text file, with the encodings that people really have answered by a clear message."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from gpocli.data.faults import OnFault, RowFault, refuse
from gpocli.errors import SpecError

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_lines(file: Path | BinaryIO, source: str, on_fault: OnFault = refuse) -> Iterator[tuple[int, str]]:
    """The (line number, text) pairs of a UTF-8 file, a `.gz` one too, each text with its line feed.

    Only `\\n` ends a line: U+2028, U+0085 and their like stay inside. A byte order mark is dropped. Tells bytes that
    are not UTF-8 (and goes on with replacement characters), other encodings and a damaged archive (and ends). Raises
    SpecError for a file that cannot be read at all.
    """
    try:
        with _open(file) if isinstance(file, Path) else file as lines:
            for number, raw in enumerate(lines, start=1):
                if number == 1:
                    if raw.startswith(_UTF16_BOMS) or b"\0" in raw[:4]:
                        text = "the file is UTF-16 or UTF-32, not UTF-8; save it as UTF-8"
                        on_fault(RowFault(f"{source}:1", text, "not UTF-8"))
                        return
                    raw = raw.removeprefix(_UTF8_BOM)
                yield number, _decode(raw, f"{source}:{number}", on_fault)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        on_fault(RowFault(source, f"not a whole gzip file ({error}); write it again", "damaged gzip"))
    except OSError as error:
        raise SpecError(f"cannot read '{source}': {error.strerror}; check its permissions") from error


def _open(path: Path) -> BinaryIO:
    if path.name.lower().endswith(".gz"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")


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
        return raw.decode("utf-8", "replace")
