"""Recorded answers as arrays, which figures are made of."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpocli.errors import SpecError
from gpocli.evaluation.figures import Answers, Estimate
from gpocli.evaluation.right import judged
from gpocli.runs.records import candidate_records, read_candidates


@dataclass(frozen=True, slots=True)
class Graded:
    """The answers to the prompts of these numbers, in order; prompts that nobody could grade are left out."""

    numbers: tuple[int, ...]
    answers: Answers
    ungraded: tuple[int, ...] = ()
    """The numbers of those left out: the reward that tells what is right applies to none of their answers."""

    def only(self, numbers: Collection[int]) -> Answers:
        """The answers to some of the prompts."""
        return self.answers.of(np.array([i for i, one in enumerate(self.numbers) if one in numbers], dtype=np.intp))


def graded(folder: Path, right: str) -> Graded:
    """The answers that an evaluation recorded; `right` is the reward that tells which are right: those it pays more
    than a half. An answer to which it does not apply is not right.

    Raises SpecError for records that are damaged or lack that reward.
    """
    by_prompt: dict[int, list[Any]] = {}
    for one in candidate_records(read_candidates(folder)):
        by_prompt.setdefault(one.step, []).append(one)
    rows = [sorted(by_prompt[number], key=lambda one: one.candidate) for number in sorted(by_prompt)]
    names = list(rows[0][0].rewards)
    if right not in names or len({len(row) for row in rows}) > 1:
        raise SpecError(f"the records in '{folder}' are of another evaluation; remove that folder")
    rewards = {name: _numbers([[one.rewards[name] for one in row] for row in rows]) for name in names}
    length_PN = np.array([[one.length for one in row] for row in rows], dtype=np.int64)
    cut_PN = np.array([[not one.finished for one in row] for row in rows])
    answers, places = judged(rewards, right, length_PN, cut_PN)
    numbers = sorted(by_prompt)
    kept = tuple(numbers[place] for place in places)
    return Graded(kept, answers, tuple(one for one in numbers if one not in set(kept)))


def _numbers(values: list[list[float | None]]) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)  # None becomes NaN


def as_json(estimates: Mapping[str, Estimate]) -> dict[str, dict[str, float | None]]:
    """Estimates as JSON has them: null for what there is nothing to tell of."""
    return {
        name: {word: _or_null(getattr(one, word)) for word in ("value", "low", "high")}
        for name, one in estimates.items()
    }


def _or_null(value: float) -> float | None:
    return None if value != value else value
