"""A reward that is a model: what the trainer loads in its place, and scores by itself."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RewardModel:
    """A model with one label, whose number is the reward; a folder or hub id, with its revision and type of weights."""

    path: str
    revision: str | None = None
    dtype: str = "auto"


def reward_model_of(reward: Any) -> RewardModel | None:
    """The model that a built reward stands for, which it has as `reward_model`; None for a reward that is called."""
    found = getattr(reward, "reward_model", None)
    return found if isinstance(found, RewardModel) else None
