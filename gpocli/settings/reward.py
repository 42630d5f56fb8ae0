"""An entry of the `rewards` section: a reward, its weight and its options."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from gpocli.settings.section import Section
from gpocli.settings.setting import Setting

OnError = Literal["stop", "zero", "skip_group"]
"""What becomes of a run when a reward fails, or of the completions that it was asked about."""


def read_rewards(texts: list[str]) -> list[dict[str, Any]]:
    """Rewards as `--reward` takes them: a name, and its weight after an equals sign."""
    return [_weighted(text) for text in texts]


def _weighted(text: str) -> dict[str, Any]:
    name, equals, weight = text.rpartition("=")
    if not equals:
        return {"name": text}
    try:
        return {"name": name, "weight": float(weight)}
    except ValueError:
        raise ValueError(f"'{text}': the weight '{weight}' is no number; write --reward {name}=0.5") from None


class RewardSpec(Section):
    """A reward; a bare name stands for a reward with weight 1 and default options."""

    name: str = Field(min_length=1)
    """A registered reward, `./file.py:name` or `package.module:name`."""
    weight: Annotated[float, Field(ge=-1e6, le=1e6), Setting("reward_weights")] = 1.0
    """Factor in the weighted sum of rewards; -1e6 to 1e6; 0: only recorded."""
    seconds: Annotated[float | None, Field(gt=0, le=1_000_000)] = 1800.0
    """Seconds that one call may take; above 0; null: as long as it takes."""
    on_error: OnError = "stop"
    """When a call fails: `stop` the run, count its completions `zero`, or `skip_group`, without advantage."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The reward's own settings, checked by its own model."""

    @model_validator(mode="before")
    @classmethod
    def bare_name_is_a_reward(cls, data: object) -> object:
        return {"name": data} if isinstance(data, str) else data
