"""Candidates are kept by lot: the control that any other filter has to beat."""

from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.extensions import FilterExtension


class RandomOptions(Options):
    """Which lots are drawn."""

    seed: int = Field(default=0, ge=0)
    """Another seed keeps other candidates."""


class RandomFilter:
    """Scores a candidate with a number from 0 to 1 that seed, step, number of its group and its place alone decide."""

    needs_rewards = False

    def __init__(self, options: RandomOptions) -> None:
        self.seed = options.seed

    def __call__(
        self,
        group_completions: Sequence[Sequence[Any]],
        group_rewards: Sequence[Sequence[float]] | None,
        group_numbers: Sequence[Sequence[int]] | None = None,
        trainer_state: Any = None,
    ) -> list[list[float]]:
        step = getattr(trainer_state, "global_step", 0)
        scores_PG = []
        for place, completions_G in enumerate(group_completions):
            number = place if group_numbers is None or not completions_G else group_numbers[place][0]
            # Seeded anew for each group, so that a resumed run draws the same lots, however many processes share them.
            lots = Random(f"{self.seed}:{step}:{number}")
            scores_PG.append([lots.random() for _ in completions_G])
        return scores_PG


EXTENSION = FilterExtension(
    name="random",
    build=RandomFilter,
    summary="keep completions by lot, as a control for the other filters",
    options=RandomOptions,
)
