"""The options of TRL's GRPOConfig by name, type and choice, and the names that they take, known without importing TRL.

`trl_schema.json` is written by `tests/spec/make_trl_schema.py`, and a test keeps it in step.
"""

import json
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from gpocli.spec.trl_bounds import out_of_bounds
from gpocli.spec.wording import kind_of, shown

_WORDS = {
    "bool": "true or false",
    "dict": "a mapping",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "null": "null",
    "str": "text",
}


class TrlOption(TypedDict):
    """What an option takes: names of YAML types, and the values of a closed set (empty: any)."""

    types: list[str]
    choices: list[str]


def trl_options() -> dict[str, TrlOption]:
    """Every option of GRPOConfig in the supported versions of TRL."""
    options: dict[str, TrlOption] = _table()["options"]
    return options


def names_of(option: str, kind: str | None = None) -> list[str]:
    """The names that transformers, torch or accelerate take in an option: values, or the keys of a mapping.

    `kind` is the schedule or the optimizer for options whose keys depend on it; one that is not there takes none.
    """
    names = _table()["names"][option]
    return list(names) if kind is None else list(names.get(kind, []))


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(Path(__file__).with_name("trl_schema.json").read_text(encoding="utf-8"))
    return table


def wrong_value(name: str, value: Any) -> str | None:
    """Say what is wrong with the value of TRL's option `name`, or None."""
    option = trl_options()[name]
    if option["choices"] and isinstance(value, str) and value not in option["choices"]:
        near = get_close_matches(value, option["choices"], n=1)
        return f"{shown(value)} is not one of its values; write {near[0] if near else _or(option['choices'])}"
    if _type_of(value) in option["types"] or (_type_of(value) == "int" and "float" in option["types"]):
        return out_of_bounds(name, value)
    what = "null is no value here" if value is None else f"{shown(value)} is {kind_of(value)}"
    return f"{what}; write {_or(option['choices'] or [_WORDS[t] for t in option['types']])}"


def _type_of(value: Any) -> str:
    return "null" if value is None else type(value).__name__


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
