r"""Reading what is joined by `=`, `<`, `\approx` and so on, and sets given by a condition."""

import re
from collections.abc import Callable
from dataclasses import replace

from gpocli.maths.brackets import split_outside
from gpocli.maths.forms import Collection, Expression, Form, Relation, Rounded, Word
from gpocli.maths.number import Quantity

Reader = Callable[[str], Form | None]

_SIGN = re.compile(r"=|<|>|\\(?:le|ge|ne|approx|simeq)(?![A-Za-z])")
_ROUNDED = (r"\approx", r"\simeq")
_MEMBER = re.compile(r"\\?[A-Za-z](?:_\{?\w+\}?)?\s*\\in(?![A-Za-z])\s*")
_ARGUMENT = r"(?:[A-Za-z]|-?\d+(?:\.\d+)?|[A-Za-z]\([A-Za-z0-9]+\))"
_NAME = re.compile(
    r"\\text\{[^{}]*\}|[A-Za-z]+(?: [A-Za-z]+){1,4}|\([A-Za-z](?:, ?[A-Za-z])+\)"
    r"|\\?[A-Za-z]+(?:_\{?\w+\}?)?'*(?:\([A-Za-z](?:, ?[A-Za-z])*\))?"
    rf"|[A-Wa-w](?:_\{{?\w+\}}?)?'*\({_ARGUMENT}(?:, ?{_ARGUMENT})*\)"  # `f(3)`, where `x(3)` is a product
    r"|\|[A-Z]{2}\||\[[A-Z]{3,6}\]|\\(?:angle|triangle|overline)\s?\{?\s?[A-Z]{1,4}\s?\}?"
    r"|\\frac\{\s?(?:d|\\partial)\s?[A-Za-z]\s?\}\{\s?(?:d|\\partial)\s?[A-Za-z]\s?\}"
)
_SUM_OF_NAMES = re.compile(r"\\?[A-Za-z](?:_\{?\w+\}?)?(?:\s?[+-]\s?\\?[A-Za-z](?:_\{?\w+\}?)?)+")
_CONSTANT = re.compile(
    r"(?:[\d\s.+\-*/(){}^!,¤%]|\\(?:frac|times|cdot|div|sqrt|pi|circ|sin|cos|tan|log|ln)(?![A-Za-z]))+"
)
_BUILDER = re.compile(r"\\\{\s*\\?[A-Za-z]\s*(?:\\in\s*(?:\\mathbb\s?\{?\s?R\s?\}?|\\R|R)\s*)?[|:](.*)\\\}", re.DOTALL)
_VARIABLE = re.compile(r"\\?[A-Za-z](?:_\{?\w+\}?)?")
_DECIMAL_PLACES = re.compile(r"[^.\d]*\d*(?:\.(\d+))?[^.\d]*")
_INFINITY = Expression(r"\infty")
_MINUS_INFINITY = Expression(r"-\infty")


def read_relation(text: str, read: Reader) -> Form | None:
    """What `text` says where it joins sides by signs, or names a set that a variable is in; else None."""
    if builder := _BUILDER.fullmatch(text):
        condition = read(builder[1].strip())
        return replace(condition, is_set=True) if isinstance(condition, Relation) and condition.interval else None
    if member := _MEMBER.match(text):
        return read(text[member.end() :])
    sides, signs = split_outside(text, _SIGN)
    if len(sides) < 2 or not all(sides):
        return None
    if any(sign in _ROUNDED for sign in signs):
        return _rounded(sides, signs, read)
    if len(sides) == 2 and signs == ["="] and _is_name(sides[1]) and not _is_name(sides[0]):
        sides.reverse()
    value = read(sides[-1])
    if value is None:
        return None
    if any(sign != "=" for sign in signs):
        return Relation(tuple(sides), tuple(signs), interval=_interval(sides, signs, read))
    if _NAME.fullmatch(sides[0]):
        name = "".join(sides[0].split()) if "\\frac" in sides[0] else " ".join(sides[0].split())
        return Relation(tuple(sides), tuple(signs), name, value)
    if all(map(_CONSTANT.fullmatch, sides[:-1])) and (isinstance(value, Quantity) or _CONSTANT.fullmatch(sides[-1])):
        return value
    total = value if _SUM_OF_NAMES.fullmatch(sides[0]) and isinstance(value, Quantity) else None
    return Relation(tuple(sides), tuple(signs), total=total)


def _is_name(side: str) -> bool:
    return len(side) == 1 and side.isalpha()


def _rounded(sides: list[str], signs: list[str], read: Reader) -> Form | None:
    r"""What `exact \approx 33.33` says. A name is no exact value: `x \approx 33.33` is `x = 33.33`."""
    first = next(place for place, sign in enumerate(signs) if sign in _ROUNDED)
    exact_sides, exact_signs = sides[: first + 1], signs[:first]
    if any(sign != "=" for sign in exact_signs):
        return None
    value = read(sides[-1])
    if _NAME.fullmatch(sides[0]):
        if not exact_signs:
            return None if value is None else Relation(tuple(sides), ("=",) * len(signs), sides[0], value)
        exact_sides = exact_sides[1:]
    exact = read("=".join(exact_sides))
    places = _DECIMAL_PLACES.fullmatch(sides[-1].partition("\\text")[0])
    if exact is None or value is None:
        return exact
    return Rounded(exact, value, len(places[1] or "") if places else None)


def _interval(sides: list[str], signs: list[str], read: Reader) -> Collection | None:
    r"""The interval of the one variable that stands alone: `(2, \infty)` for `x > 2`, `[1, 2)` for `1 \le x < 2`."""
    ends: tuple[Form | None, Form | None]
    if all(sign in (">", r"\ge") for sign in signs):
        sides, signs = sides[::-1], [{">": "<", r"\ge": r"\le"}[sign] for sign in reversed(signs)]
    if not all(sign in ("<", r"\le") for sign in signs):
        return None
    opening, closing = "(", ")"
    if len(sides) == 3 and _VARIABLE.fullmatch(sides[1]):
        ends = read(sides[0]), read(sides[2])
        opening, closing = ("[" if signs[0] == r"\le" else "("), ("]" if signs[1] == r"\le" else ")")
    elif len(sides) == 2 and _VARIABLE.fullmatch(sides[0]):
        ends, closing = (_MINUS_INFINITY, read(sides[1])), ("]" if signs[0] == r"\le" else ")")
    elif len(sides) == 2 and _VARIABLE.fullmatch(sides[1]):
        ends, opening = (read(sides[0]), _INFINITY), ("[" if signs[0] == r"\le" else "(")
    else:
        return None
    low, high = ends
    if low is None or high is None or isinstance(low, Word) or isinstance(high, Word):
        return None
    return Collection(opening, closing, (low, high))
