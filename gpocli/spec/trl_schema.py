"""The options of TRL's GRPOConfig by name, type and choice, known without importing TRL.

`trl_schema.json` is written by `tests/spec/make_trl_schema.py`, and a test keeps it in step.
"""

import json
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

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


@cache
def trl_options() -> dict[str, TrlOption]:
    """Every option of GRPOConfig in the supported versions of TRL."""
    path = Path(__file__).with_name("trl_schema.json")
    options: dict[str, TrlOption] = json.loads(path.read_text(encoding="utf-8"))["options"]
    return options


def wrong_value(name: str, value: Any) -> str | None:
    """Say what is wrong with the value of TRL's option `name`, or None."""
    option = trl_options()[name]
    if option["choices"] and isinstance(value, str) and value not in option["choices"]:
        near = get_close_matches(value, option["choices"], n=1)
        return f"{shown(value)} is not one of its values; write {near[0] if near else _or(option['choices'])}"
    if _type_of(value) in option["types"] or (_type_of(value) == "int" and "float" in option["types"]):
        return None
    what = "null is no value here" if value is None else f"{shown(value)} is {kind_of(value)}"
    return f"{what}; write {_or(option['choices'] or [_WORDS[t] for t in option['types']])}"


def _type_of(value: Any) -> str:
    return "null" if value is None else type(value).__name__


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
