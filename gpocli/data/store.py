"""Rows out of the way of memory: pickled one by one, in a temporary file once they are many."""

import os
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, overload

from gpocli.errors import EnvironmentFault, SpecError

IN_MEMORY = 64 * 2**20
"""Bytes of pickled rows that stay in memory; when there are more, they go into a file."""
_BLOCK = 2**20
"""Bytes that are written to that file at once."""


class RowStore(Sequence[dict[str, Any]]):
    """Rows that are read back when they are asked for, each time as a new object. All have the same columns.

    Its memory is 12 bytes a row, and up to `IN_MEMORY` for the rows themselves. The file has no name, so that nothing
    is left of it when the process ends in whatever way.
    """

    def __init__(self, columns: Sequence[str], blob: "_Blob", starts: "array[int]", sizes: "array[int]") -> None:
        self.columns = tuple(columns)
        self._blob = blob
        self._starts = starts
        self._sizes = sizes

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> "RowStore": ...
    def __getitem__(self, index: int | slice) -> "dict[str, Any] | RowStore":
        if isinstance(index, slice):
            return self.select(range(len(self))[index])
        return self._read(self._starts[index], self._sizes[index])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self._read, self._starts, self._sizes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return False
        return all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.columns)}>"

    def __reduce__(self) -> "tuple[Callable[..., RowStore], tuple[Any, ...]]":
        return _restored, (self.columns, self._blob.place, self._starts.tobytes(), self._sizes.tobytes())

    def select(self, indices: Iterable[int]) -> "RowStore":
        """The rows at `indices`, which stay where they are."""
        chosen = array("Q", indices)
        starts = array("Q", (self._starts[index] for index in chosen))
        return RowStore(self.columns, self._blob, starts, array("I", (self._sizes[index] for index in chosen)))

    def _read(self, start: int, size: int) -> dict[str, Any]:
        # A column that came up after this row is null in it.
        return dict(zip_longest(self.columns, pickle.loads(self._blob.read(start, size))))


def keep(rows: Iterable[Mapping[str, Any]], columns: Iterable[str] = ()) -> RowStore:
    """A store of rows, which are taken one by one. The columns are `columns`, then others in order of appearance.

    Raises SpecError for values that are no data, EnvironmentFault when there is no room for the file.
    """
    names = dict.fromkeys(columns)
    blob, starts, sizes = _Blob(), array("Q"), array("I")
    for row in rows:
        if row.keys() != names.keys():  # hardly ever, and comparing is much quicker than updating
            names.update(dict.fromkeys(row))
        data = _pickled(tuple(map(row.get, names)), row)
        starts.append(blob.append(data))
        sizes.append(len(data))
    return RowStore(tuple(names), blob, starts, sizes)


class _Blob:
    """Bytes that are only added to; the first of them move into a file when they are many."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._in_file = 0
        self._tail = bytearray()

    def append(self, data: bytes) -> int:
        """Add bytes, and tell where they start."""
        start = self._in_file + len(self._tail)
        self._tail += data
        if len(self._tail) > (IN_MEMORY if self._file is None else _BLOCK):
            self._move()
        return start

    def read(self, start: int, size: int) -> bytes | bytearray:
        """Bytes that were added at once."""
        if start >= self._in_file:
            start -= self._in_file
            return self._tail[start : start + size]
        assert self._file is not None
        return os.pread(self._file.fileno(), size, start)  # not seek, for forked readers share the position

    @property
    def place(self) -> tuple[str | None, int, bytes]:
        """Where another process finds the bytes: a file, if it can be opened there, its size, and those behind it."""
        if self._file is None:
            return None, 0, bytes(self._tail)
        path = f"/proc/{os.getpid()}/fd/{self._file.fileno()}"
        if Path(path).exists():
            return path, self._in_file, bytes(self._tail)
        return None, 0, os.pread(self._file.fileno(), self._in_file, 0) + self._tail

    @classmethod
    def at(cls, path: str | None, in_file: int, tail: bytes) -> "_Blob":
        """The bytes at a `place`."""
        blob = cls()
        if path is not None:
            blob._hold(Path(path).open("rb"))  # noqa: SIM115 - open as long as the rows
        blob._in_file = in_file
        blob._tail = bytearray(tail)
        return blob

    def _hold(self, file: IO[bytes]) -> IO[bytes]:
        self._file = file
        weakref.finalize(self, file.close)
        return file

    def _move(self) -> None:
        try:
            file = self._file or self._hold(tempfile.TemporaryFile(buffering=0))  # noqa: SIM115 - open as long as the rows
            while self._tail:
                written = file.write(self._tail)
                self._in_file += written
                del self._tail[:written]
        except OSError as error:
            raise EnvironmentFault(
                f"cannot keep the rows in the temporary folder '{tempfile.gettempdir()}' ({error.strerror}); "
                "set TMPDIR to a folder with room, or write data.streaming: true"
            ) from error


def _restored(columns: Sequence[str], place: tuple[str | None, int, bytes], starts: bytes, sizes: bytes) -> RowStore:
    return RowStore(columns, _Blob.at(*place), array("Q", starts), array("I", sizes))


def _pickled(values: tuple[Any, ...], row: Mapping[str, Any]) -> bytes:
    try:
        return pickle.dumps(values, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as error:
        name = next((name for name in row if not _is_data(row[name])), None)
        reason = (
            "is nested too deeply" if isinstance(error, RecursionError) else "is neither text, number, list nor object"
        )
        raise SpecError(f"a value of the column '{name}' {reason}; leave the column out of the data") from error


def _is_data(value: Any) -> bool:
    try:
        pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return False
    return True
