"""The figures of one step as a person wants them: read out of a trainer's logs, any of which may be missing."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

_REWARD = re.compile(r"rewards/(.+)/mean")
PHASES = ("generate", "reward", "filter", "update")


def _logged(*keys: str) -> Any:
    """A figure that a trainer logs under the first of `keys` that is there."""
    return field(default=None, metadata={"keys": keys})


@dataclass(frozen=True, slots=True)
class StepFigures:
    """Figures of one step; None where the logs say nothing, null or NaN.

    Lengths are in tokens, times in seconds, shares from 0 to 1. `reward`, `accuracy` and `length` are means over the
    kept completions, `reward_all` and `length_all` over all candidates; `cut` is a share of these. After a race that
    length is not known, but `length_bound`, which it is not below. `clip` is the share that the loss clips or caps.
    `docs/metrics.md` has the populations of all.
    """

    reward: float | None = _logged("reward")
    reward_all: float | None = _logged("candidates/reward")
    accuracy: float | None = _logged("accuracy", "rewards/accuracy/mean", "rewards/exact/mean")
    length: float | None = _logged("kept/mean_length", "completions/mean_length")
    length_all: float | None = _logged("completions/mean_length")
    length_bound: float | None = _logged("completions/mean_length_at_least")
    kept: float | None = _logged("kept/share")
    lost: float | None = _logged("lost/share")
    flat: float | None = _logged("frac_reward_zero_std")
    cut: float | None = _logged("completions/clipped_ratio")
    loss: float | None = _logged("loss")
    grad_norm: float | None = _logged("grad_norm")
    entropy: float | None = _logged("entropy")
    kl: float | None = _logged("kl")
    clip: float | None = _logged("clip_ratio/region_mean", "cispo_clip_ratio")
    learning_rate: float | None = _logged("learning_rate")
    right_length: float | None = _logged("kept/right_length")
    wrong_length: float | None = _logged("kept/wrong_length")
    length_pull: float | None = _logged("kept/advantage_length_correlation")
    tokens_per_second: float | None = _logged("tokens_per_second")
    generate: float | None = _logged("time/generate")
    reward_time: float | None = _logged("time/reward")
    filter_time: float | None = _logged("time/filter")
    update: float | None = _logged("time/update")

    @property
    def is_filtered(self) -> bool:
        """Whether a filter is at work, so that what is kept and all candidates are two populations."""
        return self.kept is not None

    @property
    def phases(self) -> tuple[float | None, ...]:
        """Seconds of this step in each of `PHASES`."""
        return (self.generate, self.reward_time, self.filter_time, self.update)


def read_logs(logs: Mapping[str, Any], prefix: str = "") -> StepFigures:
    """The figures in `logs`, whose keys start with `prefix`."""
    found = {}
    for figure in fields(StepFigures):
        values = (number(logs.get(prefix + key)) for key in figure.metadata["keys"])
        found[figure.name] = next((value for value in values if value is not None), None)
    return StepFigures(**found)


def named_rewards(logs: Mapping[str, Any], prefix: str = "") -> dict[str, float | None]:
    """The mean of each reward of the run by its name, None where it applies to no completion."""
    names = {key: _REWARD.fullmatch(key.removeprefix(prefix)) for key in logs if key.startswith(prefix)}
    return {found[1]: number(logs[key]) for key, found in names.items() if found}


def number(value: Any) -> float | None:
    """`value` as a finite number, None when it is none."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        value = float(value)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def show(value: float | None, style: str = ".3g") -> str:
    """A figure for reading: `-` when it is missing."""
    if value is None:
        return "-"
    if style == "share":
        return f"{value:.0%}"
    return format(value, style)


def show_seconds(seconds: float | None) -> str:
    """A time span as `m:ss`, with hours when there are some; `-` when it is not known."""
    if seconds is None:
        return "-"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"
