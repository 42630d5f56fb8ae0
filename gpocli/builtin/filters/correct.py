"""Right answers are kept before wrong ones; chain another filter behind it to choose among them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.contracts.nearest import did_you_mean
from gpocli.errors import SpecError
from gpocli.extensions import FilterExtension


class CorrectOptions(Options):
    """What counts as right."""

    reward: str | None = Field(default=None, min_length=1)
    """The name of the reward that tells right from wrong; the weighted sum of all rewards when not given."""

    threshold: float = Field(default=0.0, allow_inf_nan=False)
    """A completion is right when its reward is higher than this."""


class Correct:
    """Scores a completion with 1 when its reward is above the threshold, else (or without a reward) with 0."""

    def __init__(self, options: CorrectOptions) -> None:
        self.options = options

    def __call__(
        self,
        group_completions: Sequence[Sequence[Any]],
        group_rewards: Sequence[Sequence[float]],
        rewards_per_func: Mapping[str, Sequence[Sequence[float | None]]] | None = None,
    ) -> list[list[float]]:
        name, by_name = self.options.reward, rewards_per_func or {}
        if name is not None and name not in by_name:
            near = did_you_mean(name, by_name)
            raise SpecError(f"filter 'correct' looks at reward '{name}', which this run does not have; {near}")
        chosen_PG: Sequence[Sequence[float | None]] = group_rewards if name is None else by_name[name]
        threshold = self.options.threshold
        return [[float(reward is not None and reward > threshold) for reward in rewards_G] for rewards_G in chosen_PG]


EXTENSION = FilterExtension(
    name="correct",
    build=Correct,
    summary="keep right answers before wrong ones; chain another filter behind it",
    options=CorrectOptions,
)
