"""Words for what Pydantic finds: what is wrong with a value, and what to write in its place."""

from collections.abc import Mapping
from difflib import get_close_matches
from math import isfinite
from typing import Any

from gpocli.spec.algorithms import algorithms
from gpocli.spec.fields import Wanted, phrase
from gpocli.spec.wording import kind_of, shown

# YAML 1.1 took these words for truth values; in 1.2, which is read here, they are text
_FALSE_WORDS = {"no", "off", "n", "f", "false", "0", "none"}
_TRUE_WORDS = {"yes", "on", "y", "t", "true", "1"}


def wrong_value(kind: str, value: Any, wanted: Wanted) -> str:
    """Say what is wrong with `value`, for which Pydantic reported an error of type `kind`."""
    match kind:
        case "missing":
            return "is missing; write it, as text" if str in wanted.types else f"is missing; write {phrase(wanted)}"
        case "union_tag_not_found":
            *most, last = algorithms()
            return f"is missing; write {', '.join(most)} or {last}"
        case "union_tag_invalid":
            return _wrong_choice(value.get("type") if isinstance(value, Mapping) else value, tuple(algorithms()), False)
        case "greater_than" | "greater_than_equal":
            return f"{shown(value)} is too small; write {phrase(wanted)}"
        case "less_than" | "less_than_equal":
            return f"{shown(value)} is too large; write {phrase(wanted)}"
        case "finite_number":
            return f"{shown(value)} is not a finite number; write {phrase(wanted)}"
        case "string_too_short":
            return f"is empty; write {phrase(wanted)}"
        case "string_too_long":
            return f"has {len(value)} characters; write fewer"
        case "too_short":
            return "is empty; write at least one entry"
    if wanted.choices and (isinstance(value, str) or wanted.item is None) and not isinstance(value, list | dict):
        return _wrong_choice(value, wanted.choices, wanted.nullable)
    return _wrong_type(value, wanted)


def _wrong_choice(value: Any, choices: tuple[str, ...], nullable: bool) -> str:
    if (value is None or value is False) and "none" in choices:
        return f"{shown(value)} is not one of {', '.join(choices)}; write none"
    near = get_close_matches(str(value).lower(), choices, n=1, cutoff=0.6) if isinstance(value, str) else []
    if near:
        return f"{shown(value)} is not one of its values; write {near[0]}"
    listed = [*choices, "null"] if nullable else choices
    if len(listed) == 1:
        return f"{shown(value)} is not its value; write {listed[0]}"
    return f"{shown(value)} is not one of its values; write {', '.join(listed[:-1])} or {listed[-1]}"


def _wrong_type(value: Any, wanted: Wanted) -> str:
    plain = [t for t in wanted.types if t in (int, float, bool, str)]
    kind = plain[0] if plain else None
    if kind is bool and (word := _as_bool(value)):
        return f"{shown(value)} is {kind_of(value)}; write {word}"
    if kind is str and isinstance(value, bool | int | float):
        return f"{shown(value)} is {kind_of(value)}, not text; put it in quotes"
    if kind is int and isinstance(value, float) and value.is_integer():
        return f"{value} is not a whole number; write {int(value)}"
    if kind in (int, float) and isinstance(value, str) and _is_number(value):
        if not isfinite(float(value)):
            return f"{shown(value)} is not a finite number; write {phrase(wanted)}"
        return f"{shown(value)} is text; write {value.strip()} without quotes"
    if _is_list(wanted) and isinstance(value, str) and value:
        return f"{shown(value)} is text, not a list; write [{value}]"
    if wanted.section is not None and value is None:
        return "is empty; remove it, or write its settings below it"
    return _plain(value, wanted)


def _plain(value: Any, wanted: Wanted) -> str:
    if value is None:
        return f"null is no value here; write {phrase(wanted)}, or leave it out"
    if wanted.section is not None and isinstance(value, str):
        for name in ("type", "name", "source"):
            if name in wanted.section.model_fields:
                return f"{shown(value)} is text, not a mapping; write {{{name}: {value}}}"
    if wanted.section is not None and "options" in wanted.section.model_fields:
        return f"{shown(value)} is {kind_of(value)}; write a name, or a mapping with name and options"
    return f"{shown(value)} is {kind_of(value)}; write {phrase(wanted)}"


def _is_list(wanted: Wanted) -> bool:
    return "a list" in phrase(wanted)


def _as_bool(value: Any) -> str | None:
    word = str(value).lower()
    return "false" if word in _FALSE_WORDS else "true" if word in _TRUE_WORDS else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
