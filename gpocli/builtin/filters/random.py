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
    """Scores a candidate with a number from 0 to 1 that only seed, step and its place in the batch decide."""

    needs_rewards = False

    def __init__(self, options: RandomOptions) -> None:
        self.seed = options.seed

    def __call__(
        self,
        group_completions: Sequence[Sequence[Any]],
        group_rewards: Sequence[Sequence[float]] | None,
        trainer_state: Any = None,
    ) -> list[list[float]]:
        step = getattr(trainer_state, "global_step", 0)
        scores_PG = []
        for group, completions_G in enumerate(group_completions):
            # Seeded anew for each group, so that a resumed run draws the same lots.
            lots = Random(f"{self.seed}:{step}:{group}")
            scores_PG.append([lots.random() for _ in completions_G])
        return scores_PG


EXTENSION = FilterExtension(
    name="random",
    build=RandomFilter,
    summary="keep completions by lot, as a control for the other filters",
    options=RandomOptions,
)
