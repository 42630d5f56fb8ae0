"""How long the kept completions of a run were at its start and at its end."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from gpocli.runs.groups import GroupFiles, RecordedGroup

BINS = 24
BATCHES = 20
"""Generation batches that are read at each end at most."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Shares of the kept completions by length: `start` and `end` have a share for each of `edges` (tokens)."""

    edges: list[float]
    start: list[float]
    end: list[float]


def lengths(files: GroupFiles) -> Lengths | None:
    """Those of the first and of the last tenth of the recorded steps; None where fewer than two are recorded."""
    steps = files.steps
    if len(steps) < 2:
        return None
    tenth = max(1, len(steps) // 10)
    start, end = _of(files, lambda step: step <= steps[tenth - 1]), _of(files, lambda step: step >= steps[-tenth])
    if not start or not end:
        return None
    width = max(1, -(-(max(start + end) + 1) // BINS))
    edges = [float(width * place) for place in range(max(start + end) // width + 1)]
    return Lengths(edges, *(_shares(values, width, len(edges)) for values in (start, end)))


def examples(files: GroupFiles, count: int) -> list[RecordedGroup]:
    """Groups of the last recorded step, those first in which something was kept and something was not."""
    steps = files.steps
    last = [group for batch in files.batches(lambda step: step == steps[-1]) for group in batch] if steps else []
    return sorted(last, key=lambda group: len({one.kept for one in group.candidates}), reverse=True)[:count]


def _of(files: GroupFiles, is_meant: Callable[[int], bool]) -> list[int]:
    batches = islice(files.batches(is_meant), BATCHES)
    return [one.length for batch in batches for group in batch for one in group.candidates if one.kept]


def _shares(values: list[int], width: int, bins: int) -> list[float]:
    counted = Counter(value // width for value in values)
    return [counted[place] / len(values) for place in range(bins)]
