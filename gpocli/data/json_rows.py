"""Rows of JSON files: one object a line (`.jsonl`), or one list of objects (`.json`)."""

import bisect
import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

from gpocli.data.rows import Numbered, OnFault, RowFault


def read_jsonl(lines: Iterable[tuple[int, str]], source: str, on_fault: OnFault) -> Iterator[Numbered]:
    """The objects of a file with one JSON object a line; blank lines are passed over, faulty ones told."""
    cure = "write one JSON object a line"
    for number, text in lines:
        if text.isspace():
            continue
        try:
            value = _DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            on_fault(_broken(error, source, number, cure))
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            on_fault(_no_object(value, source, number, cure))


def read_json(lines: Iterable[tuple[int, str]], source: str, on_fault: OnFault) -> Iterator[Numbered]:
    """The objects of a file that holds one JSON list, each with the line it starts on; tells what is faulty.

    A file that starts with an object instead is read as one object a line, which many `.json` files are. Nothing is
    read after broken JSON.
    """
    numbered = list(lines)
    text = "".join(line for _, line in numbered)
    ends = list(itertools.accumulate(len(line) for _, line in numbered))
    if not text.startswith("[", _skip_blanks(text, 0)):
        yield from read_jsonl(numbered, source, on_fault)
        return
    position = _skip_blanks(text, text.index("[") + 1)
    while not text.startswith("]", position):
        line = bisect.bisect(ends, position) + 1
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            at = error.lineno if isinstance(error, json.JSONDecodeError) else line
            on_fault(_broken(error, source, at, "the file must hold one list of objects"))
            return
        if isinstance(value, dict):
            yield line, value
        else:
            on_fault(_no_object(value, source, line, "the list must hold objects only"))
        position = _skip_blanks(text, position)
        if text.startswith(",", position):
            position = _skip_blanks(text, position + 1)
        elif not text.startswith("]", position):
            line = bisect.bisect(ends, position) + 1
            text = "not valid JSON (expected ',' or ']' after an object); mend the list"
            on_fault(RowFault(f"{source}:{line}", text, "not valid JSON"))
            return
    end = _skip_blanks(text, position + 1)
    if end < len(text):
        line = bisect.bisect(ends, end) + 1
        after = "text after the end of the list; the file must hold one list of objects"
        on_fault(RowFault(f"{source}:{line}", after, "not valid JSON"))


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key '{twice}' twice in one object")
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)


def _broken(error: Exception, source: str, line: int, cure: str) -> RowFault:
    if isinstance(error, json.JSONDecodeError):
        text = f"not valid JSON ({error.msg.lower()}); {cure}"
        return RowFault(f"{source}:{line}:{error.colno}", text, "not valid JSON")
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return RowFault(f"{source}:{line}", f"cannot be read ({reason}); {cure}", "cannot be read")


def _no_object(value: Any, source: str, line: int, cure: str) -> RowFault:
    return RowFault(f"{source}:{line}", f"{_kind(value)} where an object is expected; {cure}", "not an object")


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case _:
            return "a list"
