"""Paths into data columns: `reward_model.ground_truth`, `answers.text[0]`, `solution:boxed`, `context+question`."""

import difflib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gpocli.columns.steps import STEPS
from gpocli.errors import SpecError

_HOP = re.compile(r"\.(?P<key>[^.\[\]:+]+)|\[(?P<index>-?\d+)\]|:(?P<step>[A-Za-z_]+)")


@dataclass(frozen=True, slots=True)
class _Key:
    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def of(self, value: Any) -> Any:
        return value.get(self.name) if isinstance(value, Mapping) else None

    def why_not(self, value: Any) -> str:
        if isinstance(value, Mapping):
            return f"holds no '{self.name}', but {', '.join(map(repr, value)) or 'nothing'}"
        if isinstance(value, str) and isinstance(STEPS["json"](value), Mapping):
            return f"is JSON held as text; read it with the step :json, as in :json.{self.name}"
        return f"is {_called(value)}, which holds no '{self.name}'"


@dataclass(frozen=True, slots=True)
class _Index:
    number: int

    def __str__(self) -> str:
        return f"[{self.number}]"

    def of(self, value: Any) -> Any:
        is_there = isinstance(value, list | tuple) and -len(value) <= self.number < len(value)
        return value[self.number] if is_there else None

    def why_not(self, value: Any) -> str:
        if isinstance(value, list | tuple):
            return f"is a list of {len(value)}, counted from 0"
        if isinstance(value, str) and isinstance(STEPS["json"](value), list):
            return f"is JSON held as text; read it with the step :json, as in :json[{self.number}]"
        return f"is {_called(value)}, not a list"


@dataclass(frozen=True, slots=True)
class _Step:
    name: str

    def __str__(self) -> str:
        return f":{self.name}"

    def of(self, value: Any) -> Any:
        return STEPS[self.name](value)

    def why_not(self, value: Any) -> str:
        return f"is {_called(value)}, in which the step :{self.name} finds nothing"


_Hop = _Key | _Index | _Step


@dataclass(frozen=True, slots=True)
class ColumnPath:
    """A column, and the way from its values to what is meant. Of several paths the texts are joined."""

    text: str
    """As it was written."""
    column: str
    hops: tuple[_Hop, ...] = ()
    more: tuple["ColumnPath", ...] = ()
    """Paths whose texts come behind, after an empty line each."""

    @property
    def is_plain(self) -> bool:
        """Whether it is a column and nothing else."""
        return not self.hops and not self.more

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return (self.column, *(one.column for one in self.more))

    def of(self, row: Mapping[str, Any]) -> Any:
        """What it leads to in a row; None where it leads to nothing."""
        value = row.get(self.column)
        for hop in self.hops:
            if value is None:
                return None
            value = hop.of(value)
        if not self.more:
            return value
        texts = [value, *(one.of(row) for one in self.more)]
        return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip()) or None

    def why_not(self, row: Mapping[str, Any]) -> str:
        """Why it leads to nothing in a row, `'reward_model' holds no 'truth', but 'ground_truth'`."""
        value, way = row.get(self.column), self.column
        for hop in self.hops:
            if value is None:
                break
            reached = hop.of(value)
            if reached is None:
                return f"'{way}' {hop.why_not(value)}"
            value, way = reached, f"{way}{hop}"
        return f"'{way}' is null" if value is None else f"'{way}' is {_called(value)}"


def read_path(text: str, columns: Collection[str]) -> ColumnPath | None:
    """The path that a text spells out; None where it starts with none of the columns, or is no path at all.

    A column of that very name goes first, whatever signs it holds. Raises SpecError for a step that there is not.
    """
    if text in columns:
        return ColumnPath(text, text)
    if "+" in text:
        parts = [read_path(part, columns) for part in text.split("+")]
        found = [part for part in parts if part is not None]
        if len(found) == len(parts):
            return ColumnPath(text, found[0].column, found[0].hops, tuple(found[1:]))
    starts = (name for name in columns if text.startswith(name) and text[len(name) :][:1] in (".", "[", ":"))
    column = max(starts, key=len, default=None)
    if column is None:
        return None
    hops = _hops(text, text[len(column) :])
    return None if hops is None else ColumnPath(text, column, hops)


def _hops(whole: str, rest: str) -> tuple[_Hop, ...] | None:
    hops: list[_Hop] = []
    position = 0
    while position < len(rest):
        found = _HOP.match(rest, position)
        if found is None:
            return None
        if found["step"] is not None and found["step"] not in STEPS:
            near = difflib.get_close_matches(found["step"], STEPS, n=1)
            fix = f"did you mean ':{near[0]}'?" if near else f"write one of {', '.join(f':{name}' for name in STEPS)}"
            raise SpecError(f"'{whole}': there is no step ':{found['step']}'; {fix}")
        key, index, step = found["key"], found["index"], found["step"]
        hops.append(_Key(key) if key is not None else _Index(int(index)) if index is not None else _Step(step))
        position = found.end()
    return tuple(hops)


def _called(value: Any) -> str:
    match value:
        case str():
            return f"the text {json.dumps(value if len(value) <= 40 else f'{value[:37]}...', ensure_ascii=False)}"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return json.dumps(value, default=repr)
