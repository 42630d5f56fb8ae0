"""How hard prompts are for a model: the share of right answers to each, and what that makes of groups."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.data import ROW_KEY
from gpocli.errors import SpecError
from gpocli.evaluation.figures import powers_of_two
from gpocli.measuring.measure import Measured
from gpocli.runs.writing import writing

COLUMN = "pass_rate"
"""The column of a written file that holds the share of right answers."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How many of `samples` answers to each prompt are right; None where nobody could grade one."""

    samples: int
    right: Sequence[int | None]

    @classmethod
    def of(cls, measured: Measured) -> "Difficulty":
        """Of an evaluation that is done."""
        right: list[int | None] = [None] * len(measured.plan.rows)
        for number, count in zip(measured.graded.numbers, measured.graded.answers.right_PN.sum(1), strict=True):
            right[number] = int(count)
        return cls(measured.plan.samples, right)

    @property
    def rates(self) -> list[float | None]:
        """The share of right answers to each prompt."""
        return [None if one is None else one / self.samples for one in self.right]

    def within(self, low: float, high: float) -> list[int]:
        """The numbers of the prompts whose share is at least `low` and at most `high`."""
        return [number for number, rate in enumerate(self.rates) if rate is not None and low <= rate <= high]

    def flat(self) -> dict[int, float]:
        """The share of groups of 2, 4, 8, ... answers, as many as were drawn, that are all right or all wrong.

        Each prompt has the unbiased estimate: the share of all choices of so many of its answers that are so.
        """
        known = [one for one in self.right if one is not None]
        sizes = [size for size in powers_of_two(self.samples) if size > 1]
        return {size: math.fsum(self._flat(right, size) for right in known) / len(known) for size in sizes}

    def _flat(self, right: int, size: int) -> float:
        alike = math.comb(right, size) + math.comb(self.samples - right, size)
        return alike / math.comb(self.samples, size)


def write_rows(measured: Measured, difficulty: Difficulty, numbers: Sequence[int], path: Path) -> None:
    """Write these prompts with all their columns and `COLUMN`, a line of JSON each.

    Raises `SpecError` for a file that is there, and `EnvironmentFault` where it cannot be written.
    """
    if path.exists():
        raise SpecError(f"'{path}' is there already; name another --out")
    rows, rates = measured.plan.rows, difficulty.rates
    lines = [_line(rows[number], rates[number]) for number in numbers]
    with writing(path):
        path.write_text("".join(lines), encoding="utf-8")


def _line(row: dict[str, Any], rate: float | None) -> str:
    columns = {name: value for name, value in row.items() if name != ROW_KEY}
    return json.dumps(columns | {COLUMN: rate}, ensure_ascii=False, default=str) + "\n"
