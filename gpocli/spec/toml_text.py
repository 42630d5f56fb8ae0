"""Reading TOML, with the place of each key, which `tomllib` does not tell."""

import re
import tomllib

from gpocli.spec.layer import Key, Place
from gpocli.spec.yaml_text import ReadText, TextError

_KEY = r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'"""
_DOTTED = re.compile(rf"[ \t]*(?:{_KEY})(?:[ \t]*\.[ \t]*(?:{_KEY}))*")
_PART = re.compile(_KEY)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
# comments as well: a bracket in one opens nothing
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""+' r"|'''.*?'''+" r'|"(?:[^"\\\n]|\\.)*"' r"|'[^'\n]*'" r"|#[^\n]*", re.DOTALL
)


def read_toml(text: str, source: str) -> ReadText:
    """Read `text`; `source` names it in places. Raises TextError where it is not TOML."""
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
        problem = str(error)[: where.start()] if where else str(error)
        line, column = (int(where[1]), int(where[2])) if where and where[1] else _end(text)
        wrong = f"not valid TOML: {problem[:1].lower()}{problem[1:]}; mend it here"
        raise TextError(Place(source, line, column), wrong) from error
    return ReadText(value, _places(text, source))


def _end(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1


def _places(text: str, source: str) -> dict[Key, Place]:
    """Find where each key of valid TOML stands; keys of inline tables have the place of their table."""
    places: dict[Key, Place] = {(): Place(source, 1, 1)}
    entries: dict[Key, int] = {}
    table: Key = ()
    at = 0
    while (at := _skip(_BLANK, text, at)) < len(text):
        brackets = 2 if text.startswith("[[", at) else 1 if text[at] == "[" else 0
        match = _DOTTED.match(text, at + brackets)
        if match is None:  # nothing that tomllib accepts gets here
            break
        start = at + brackets + len(match[0]) - len(match[0].lstrip())
        place = Place(source, text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1) + 1)
        names = tuple(part[1:-1] if part[0] in "\"'" else part for part in _PART.findall(match[0]))
        key = _absolute(names, entries) if brackets else (*table, *names)
        if brackets == 2:
            entries[key] = entries.get(key, -1) + 1
            places.setdefault(key, place)
            key = (*key, entries[key])
        for length in range(1, len(key) + 1):
            places.setdefault(key[:length], place)
        table = key if brackets else table
        at = _value_end(text, match.end())
    return places


def _absolute(names: tuple[str, ...], entries: dict[Key, int]) -> Key:
    """Put the number of the newest entry behind each array of tables on the way to a table."""
    key: Key = ()
    for i, name in enumerate(names):
        key = (*key, name)
        if key in entries and i + 1 < len(names):
            key = (*key, entries[key])
    return key


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _value_end(text: str, at: int) -> int:
    """Find the end of the line that ends a value, which may span lines inside brackets and strings."""
    depth = 0
    while at < len(text) and (text[at] != "\n" or depth > 0):
        string = _STRING.match(text, at)
        depth += (text[at] in "[{") - (text[at] in "]}")
        at = string.end() if string else at + 1
    return at
