"""Finding and splitting at brackets in tidied text."""

import re

MAX_LENGTH = 2000
"""Characters of an answer; a longer one is not read."""
MAX_DEPTH = 30
"""Brackets that may be open at a time."""
MAX_TOWER = 2
"""Exponents that may stand on exponents: `2^{2^{2}}` is two high."""

_OPENING, _CLOSING = "([{", ")]}"
_PARTNERS = {"(": ")", "[": "]", "{": "}"}


class TooLarge(Exception):
    """An answer is too long or too deeply nested to be read in bounded time."""


def check_size(text: str) -> None:
    """Raise `TooLarge` for a text that could not be read or compared in bounded time."""
    if len(text) > MAX_LENGTH:
        raise TooLarge(f"an answer of {len(text)} characters")
    depth = 0
    for character in text:
        if character in _OPENING:
            depth += 1
            if depth > MAX_DEPTH:
                raise TooLarge(f"brackets nested {depth} deep")
        elif character in _CLOSING and depth:  # one too many is not large but wrong, which the reader finds
            depth -= 1


def check_towers(text: str) -> None:
    """Raise `TooLarge` for a tidied text with powers stacked higher than `MAX_TOWER`."""
    powers: list[bool] = []
    for place, character in enumerate(text):
        if character in _OPENING:
            powers.append(place > 0 and text[place - 1] == "^")  # tidied text has braces around each exponent
            if sum(powers) > MAX_TOWER:
                raise TooLarge(f"powers stacked {sum(powers)} high")
        elif character in _CLOSING and powers:
            powers.pop()


def matching(text: str, start: int) -> int | None:
    r"""The place of the bracket that closes the one at `start`, any of `([{`; None when it stays open.

    Only brackets of its kind count, and `\{` is not one of them.
    """
    opening, closing = text[start], _PARTNERS[text[start]]
    depth = 0
    place = start
    while place < len(text):
        character = text[place]
        if character == "\\":  # an escaped bracket is one that is shown, as of a set
            place += 2
            continue
        if character == opening:
            depth += 1
        elif character == closing:
            depth -= 1
            if depth == 0:
                return place
        place += 1
    return None


def enclosed(text: str) -> bool:
    r"""Whether the bracket that `text` begins with is closed by its last character, whatever their kinds."""
    depth = 0  # of all kinds together, for `(1, 2]` is an interval
    for place, character in enumerate(text):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
            if depth <= 0:
                return depth == 0 and place == len(text) - 1
    return False


def balanced(text: str) -> bool:
    """Whether every bracket has its partner, of the same kind and in order."""
    expected = []
    for character in text:
        if character in _OPENING:
            expected.append(_PARTNERS[character])
        elif character in _CLOSING and (not expected or expected.pop() != character):
            return False
    return not expected


def split_outside(text: str, separator: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """The pieces of `text` between separators that stand outside all brackets, and those separators."""
    depth = 0
    start = 0
    pieces: list[str] = []
    found: list[str] = []
    matches = {match.start(): match for match in separator.finditer(text)}
    place = 0
    while place < len(text):
        match = matches.get(place) if depth == 0 else None
        if match is not None and match.group():  # an empty one would never move on
            pieces.append(text[start : match.start()].strip())
            found.append(match.group().strip())
            start = place = match.end()
            continue
        if text[place] in _OPENING:
            depth += 1
        elif text[place] in _CLOSING:
            depth -= 1
        place += 1
    pieces.append(text[start:].strip())
    return pieces, found
