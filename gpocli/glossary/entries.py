"""The entries of the glossary, read from the files beside this one. Free of torch."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from gpocli.errors import SpecError

_FOLDER = Path(__file__).parent
_OF_A_REWARD = re.compile(r"rewards/.+/(mean|std|failed)")
_LEGEND = ("kept", "all", "lost", "flat", "cut")


@dataclass(frozen=True, slots=True)
class Entry:
    """One name and what it means. What does not apply to its kind is empty.

    `kind` is "metric", "word", "exit code", "message" or "guard". Of a metric `of` is the population, `where` says when
    it is written, `eval` that evaluations write it too, under `eval_` and its name, and `healthy` what it is where all
    goes well. `short` is what a legend says of a word, of which a `population` is one that figures may be of. `cure` is
    what to do about an error.
    """

    name: str
    kind: str
    meaning: str
    of: str = ""
    unit: str = ""
    where: str = ""
    eval: bool = False
    healthy: str = ""
    short: str = ""
    population: bool = False
    cure: str = ""


@cache
def entries() -> Mapping[str, Entry]:
    """All entries by name: metrics in the order of their page, words, exit codes, messages."""
    found = [*_read("metrics", "metric"), *_read("words", "word")]
    for one in _read("errors", "message"):
        found.append(replace(one, kind="exit code") if one.name.startswith("exit ") else one)
    return {one.name: one for one in found}


def find(asked: str, more: Iterable[Entry] = ()) -> Entry:
    """The entry of a name as runs, commands and displays write it, or of a message that begins with one.

    `eval_` before a name, a reward's own name and a bare exit code are understood; `more` are entries beside those of
    the glossary. Raises `SpecError` with the nearest names.
    """
    known = {**{one.name: one for one in more}, **entries()}
    name = asked.strip().strip("`'\"")
    for spelling in (name, name.lower(), f"exit {name}", _with_placeholder(name)):
        if spelling in known:
            return known[spelling]
    of_training = _with_placeholder(name.removeprefix("eval_"))
    if of_training in known and known[of_training].eval:
        return known[of_training]
    for one in known.values():
        if one.kind == "message" and one.name in name:
            return one
    raise SpecError(f"the glossary has no '{asked}'; {_nearest(name, known)}")


def legend() -> str:
    """The words of a display in one line: `kept: chosen by the filter · all: every candidate · ...`."""
    return " · ".join(f"{word}: {entries()[word].short}" for word in _LEGEND)


def _read(file: str, kind: str) -> list[Entry]:
    tables = tomllib.loads((_FOLDER / f"{file}.toml").read_text(encoding="utf-8"))
    return [Entry(name, kind, **table) for name, table in tables.items()]


def _with_placeholder(name: str) -> str:
    found = _OF_A_REWARD.fullmatch(name)
    return f"rewards/NAME/{found[1]}" if found else name


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(name.lower(), names, 3) or [one for one in names if name and name.lower() in one][:3]
    if not near:
        return "'gpo explain' lists all names"
    return "did you mean " + " or ".join(f"'{one}'" for one in near) + "?"
