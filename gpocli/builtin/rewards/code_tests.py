"""The tests of a data row for code: Python that must not raise, or what a program prints for what it reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gpocli.errors import SpecError

FORMS = (
    'a text or a list of texts with Python (asserts), {"inputs": [...], "outputs": [...]}, or a list of '
    '{"input": ..., "output": ...}'
)


@dataclass(frozen=True, slots=True)
class Pair:
    """What a program is to print for what it reads."""

    stdin: str
    stdout: str

    def is_met_by(self, output: bytes) -> bool:
        """Whether the output has the same lines, but for white space at their ends and empty lines at its end."""
        return _lines(output.decode("utf-8", "replace")) == _lines(self.stdout)


@dataclass(frozen=True, slots=True)
class RowTests:
    """Of one of two kinds: `asserts` are run in the process of the answer, each of `pairs` in a process of its own."""

    asserts: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()

    def __len__(self) -> int:
        return len(self.asserts) + len(self.pairs)


def read_tests(cell: Any) -> RowTests | None:
    """The tests in a cell, or in JSON that it holds as text; None for a cell with none.

    Raises `SpecError` for what is no tests, and for Python that cannot be compiled.
    """
    if isinstance(cell, str):
        return _of_text(cell)
    if cell is None or (isinstance(cell, Sequence | Mapping) and not cell):
        return None
    if isinstance(cell, Mapping):
        return RowTests(pairs=tuple(_pairs(cell)))
    if isinstance(cell, Sequence) and all(isinstance(one, str) for one in cell):
        return RowTests(asserts=tuple(map(_compiled, cell)))
    if isinstance(cell, Sequence) and all(isinstance(one, Mapping) for one in cell):
        return RowTests(pairs=tuple(_pair(one.get("input"), one.get("output")) for one in cell))
    raise _unknown(cell)


@lru_cache(maxsize=1024)  # they are read for every completion of a group
def _of_text(text: str) -> RowTests | None:
    if not text.strip():
        return None
    if text.lstrip()[0] in "[{":
        try:
            return read_tests(json.loads(text))
        except ValueError:  # it is Python that begins with a bracket
            pass
    return RowTests(asserts=(_compiled(text),))


def _pairs(cell: Mapping[str, Any]) -> Sequence[Pair]:
    inputs, outputs = cell.get("inputs"), cell.get("outputs")
    if not isinstance(inputs, Sequence) or not isinstance(outputs, Sequence) or isinstance(inputs, str):
        raise _unknown(cell)
    if len(inputs) != len(outputs) or not inputs:
        raise SpecError(f"tests have {len(inputs)} inputs and {len(outputs)} outputs; give one output for each input")
    return [_pair(*one) for one in zip(inputs, outputs, strict=True)]


def _pair(given: Any, wanted: Any) -> Pair:
    if not isinstance(given, str) or not isinstance(wanted, str):
        raise SpecError(f"a test has the input {given!r:.60} and the output {wanted!r:.60}; both must be texts")
    return Pair(given, wanted)


def _compiled(source: str) -> str:
    try:
        compile(source, "test", "exec")
    except (SyntaxError, ValueError) as error:
        raise SpecError(f"a test is not Python ({error}): {source!r:.80}; mend the data") from error
    return source


def _unknown(cell: Any) -> SpecError:
    return SpecError(f"{cell!r:.80} is no tests; write {FORMS}")


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]
