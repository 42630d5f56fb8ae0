"""Rows of JSON files: one object a line (`.jsonl`), or one list of objects (`.json`)."""

import bisect
import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

from gpocli.data.rows import Numbered, OnFault, RowFault


def read_jsonl(lines: Iterable[tuple[int, str]], source: str, on_fault: OnFault) -> Iterator[Numbered]:
    """The objects of a file with one JSON object a line; blank lines are passed over, faulty ones told."""
    fix = "write one JSON object a line"
    for number, text in lines:
        if text.isspace():
            continue
        try:
            value = _DECODER.decode(text)
        except (ValueError, RecursionError) as error:
            on_fault(_broken(error, source, number, fix))
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            on_fault(_no_object(value, source, number, fix))


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
    # Object by object, for a whole list that is decoded at once does not tell the line that each starts on.
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
            fault = "not valid JSON (expected ',' or ']' after an object); mend the list"
            on_fault(RowFault(f"{source}:{bisect.bisect(ends, position) + 1}", fault, "not valid JSON"))
            return
    end = _skip_blanks(text, position + 1)
    if end < len(text):
        fault = "text after the end of the list; the file must hold one list of objects"
        on_fault(RowFault(f"{source}:{bisect.bisect(ends, end) + 1}", fault, "not valid JSON"))


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}  # json itself would keep the last one without a word
    for name, value in pairs:
        if name in result:
            raise ValueError(f"key '{name}' twice in one object")
        result[name] = value
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)


def _broken(error: Exception, source: str, line: int, fix: str) -> RowFault:
    if isinstance(error, json.JSONDecodeError):
        fault = f"not valid JSON ({error.msg.lower()}); {fix}"
        return RowFault(f"{source}:{line}:{error.colno}", fault, "not valid JSON")
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return RowFault(f"{source}:{line}", f"cannot be read ({reason}); {fix}", "cannot be read")


def _no_object(value: Any, source: str, line: int, fix: str) -> RowFault:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    fault = f"{kinds.get(type(value), 'null')} where an object is expected; {fix}"
    return RowFault(f"{source}:{line}", fault, "not an object")
