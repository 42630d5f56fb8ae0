"""Right answers are kept before wrong ones; a filter behind it chooses among either."""

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
        chosen_PG: Sequence[Sequence[float | None]] = self._chosen(group_rewards, rewards_per_func or {})
        threshold = self.options.threshold
        return [[float(reward is not None and reward > threshold) for reward in rewards_G] for rewards_G in chosen_PG]

    def score_bound(self, length: int, max_reward: float, max_rewards: Mapping[str, float]) -> float:
        """1 as long as the reward that tells right from wrong can still be above the threshold."""
        return float(self._chosen(max_reward, max_rewards) > self.options.threshold)

    def _chosen(self, weighted: Any, by_name: Mapping[str, Any]) -> Any:
        return reward_by_name("correct", self.options.reward, weighted, by_name)


def reward_by_name(filter_name: str, name: str | None, weighted: Any, by_name: Mapping[str, Any]) -> Any:
    """What belongs to the reward that tells right from wrong: the weighted sum's, or that of one by name.

    Raises `SpecError` naming the filter when the run has no such reward.
    """
    if name is not None and name not in by_name:
        near = did_you_mean(name, by_name)
        raise SpecError(f"filter '{filter_name}' looks at reward '{name}', which this run does not have; {near}")
    return weighted if name is None else by_name[name]


EXTENSION = FilterExtension(
    name="correct",
    build=Correct,
    summary="keep right answers before wrong ones; to shorten answers, take contrast",
    options=CorrectOptions,
)
