"""Prompts that come again, in one source or in two, found by eight bytes a row."""

import json
from array import array
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any

from gpocli.columns import ColumnPath
from gpocli.data.columns import PROMPT
from gpocli.data.named import NamedRows
from gpocli.data.rows import Rows

REPEATS, OTHER_ANSWERS, IN_BOTH, EMPTY_GOLDS = "repeats", "other_answers", "in_both", "empty_golds"


def prompt_hashes(rows: Rows) -> "array[int]":
    """A number for each row, the same for the same prompt; hardly ever for another."""
    return array("Q", (_hash(row[PROMPT]) for row in rows))


def add_repeats(named: NamedRows, rows: Rows, hashes: Sequence[int], gold: Sequence[ColumnPath]) -> None:
    """Name the rows whose prompt comes again, apart for those that come with another answer."""
    several = {one for one, next_one in pairwise(sorted(hashes)) if one == next_one}
    seen: dict[int, int] = {}
    for index, number in enumerate(hashes if several else ()):
        if number not in several or (first := seen.setdefault(number, index)) == index:
            continue
        row, earlier = rows[index], rows[first]
        if _identity(row[PROMPT]) != _identity(earlier[PROMPT]):  # two prompts with one number
            continue
        place = rows.place(index)
        again = f"{place}: the prompt of {rows.place(first)} again"
        other = next((path for path in gold if _identity(path.of(row)) != _identity(path.of(earlier))), None)
        if other is None:
            named.add(REPEATS, place, again)
        else:
            values = f"{_brief(other.of(row))}, not {_brief(other.of(earlier))}"
            line = f"{again}, with another '{other.text}' ({values}); one of them is wrong"
            named.add(OTHER_ANSWERS, place, line)


def add_shared(named: NamedRows, train: Rows, train_hashes: Sequence[int], rows: Rows, hashes: Sequence[int]) -> None:
    """Name the `rows` to evaluate on whose prompt is among those that are trained on."""
    wanted = set(hashes)
    first: dict[int, int] = {}
    for index, number in enumerate(train_hashes):
        if number in wanted:
            first.setdefault(number, index)
    for index, number in enumerate(hashes):
        known = first.get(number)
        if known is None or _identity(rows[index][PROMPT]) != _identity(train[known][PROMPT]):
            continue
        place = rows.place(index)
        line = f"{place}: the prompt of {train.place(known)}, which is trained on, so that it shows no skill"
        named.add(IN_BOTH, place, line)


def add_empty(named: NamedRows, rows: Rows, gold: Sequence[ColumnPath]) -> None:
    """Name the rows that hold nothing in a column that a reward needs."""
    if not gold:
        return
    for index, row in enumerate(rows):
        path = next((path for path in gold if _is_empty(path.of(row))), None)
        if path is not None:
            place = rows.place(index)
            line = f"{place}: '{path.text}', which a reward needs, is empty"
            named.add(EMPTY_GOLDS, place, line)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


def _hash(value: Any) -> int:
    text = value if isinstance(value, str) else _identity(value)
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _identity(value: Any) -> str:
    """A text that is the same for the same value only; 1, 1.0, true and "1" differ."""
    return json.dumps(value, sort_keys=True, default=repr)


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else _identity(value)
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
