"""The points of a sweep: every combination of the values of a grid, each with every seed."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpocli.errors import SpecError

SEED = "run.seed"
_OF_THE_SWEEP = ("run.dir", "run.name")
_OPEN, _CLOSE = "[{(", "]})"


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a sweep: its name, which is that of its folder, and its values by dotted path, as text of YAML."""

    name: str
    values: Mapping[str, str]


def points(grid: Sequence[str], seeds: int | None, first_seed: int = 0) -> list[Point]:
    """The points of `--grid KEY=VALUE,VALUE` texts and of `seeds` seeds from `first_seed` on, the last key fastest.

    Raises `SpecError` for what is no grid.
    """
    axes = dict(_axis(text) for text in grid)
    if len(axes) < len(grid):
        raise SpecError("a key is in two grids; write its values in one --grid, with commas between them")
    if seeds is not None:
        if SEED in axes:
            raise SpecError("--seeds and --grid run.seed both say which seeds; leave one out")
        axes[SEED] = [str(first_seed + i) for i in range(seeds)]
    if not axes:
        raise SpecError("there is nothing to sweep over; write --grid KEY=VALUE,VALUE or --seeds N")
    words = _words(list(axes))
    made = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    names = ["_".join(f"{words[key]}-{_of_a_name(value)}" for key, value in values.items()) for values in made]
    for name in names:
        if names.count(name) > 1:
            raise SpecError(
                f"two points of the grid would both be called '{name}'; write values that differ in letters"
            )
    return [Point(name, values) for name, values in zip(names, made, strict=True)]


def _axis(text: str) -> tuple[str, list[str]]:
    key, equals, written = text.partition("=")
    key, values = key.strip(), [value.strip() for value in _split(written)]
    if not equals or not key or not all(values):
        raise SpecError(f"--grid '{text}' is not KEY=VALUE,VALUE; write --grid optim.learning_rate=1e-6,3e-6")
    if key in _OF_THE_SWEEP:
        raise SpecError(f"--grid '{text}': each run of a sweep has a folder of its own; write --out for that of all")
    if twice := next((value for value in values if values.count(value) > 1), None):
        raise SpecError(f"--grid '{text}' has {twice} twice; leave one out")
    return key, values


def _split(text: str) -> Iterator[str]:
    """`text` at its commas, but for those within brackets or quotes."""
    part, depth, quote = "", 0, ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        else:
            depth += (c in _OPEN) - (c in _CLOSE)
        if c == "," and depth == 0 and not quote:
            yield part
            part = ""
        else:
            part += c
    yield part


def _words(keys: Sequence[str]) -> dict[str, str]:
    """The last part of each key, or all of it where two end alike."""
    last = [key.rpartition(".")[2] for key in keys]
    return {key: word if last.count(word) == 1 else key for key, word in zip(keys, last, strict=True)}


def _of_a_name(value: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", value).strip("-.") or "empty"
