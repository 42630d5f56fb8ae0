"""The figures of one step as a person wants them: read out of a trainer's logs, any of which may be missing."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PHASES = ("generate", "reward", "filter", "update")


@dataclass(frozen=True, slots=True)
class Reading:
    """Figures of one step; None where the logs say nothing, null or NaN.

    Lengths are in tokens, times in seconds, shares from 0 to 1. `reward` and `length` are means over the kept
    completions, `reward_all` and `length_all` over all candidates.
    """

    reward: float | None = None
    reward_all: float | None = None
    accuracy: float | None = None
    length: float | None = None
    length_all: float | None = None
    kept: float | None = None
    lost: float | None = None
    flat: float | None = None
    cut: float | None = None
    loss: float | None = None
    grad_norm: float | None = None
    tokens_per_second: float | None = None
    seconds: float | None = None
    generate: float | None = None
    reward_time: float | None = None
    filter_time: float | None = None
    update: float | None = None

    @property
    def phases(self) -> tuple[float | None, ...]:
        """Seconds of this step in each of `PHASES`."""
        return (self.generate, self.reward_time, self.filter_time, self.update)


_KEYS: dict[str, tuple[str, ...]] = {
    "reward": ("reward",),
    "reward_all": ("candidates/reward",),
    "accuracy": ("accuracy", "rewards/accuracy/mean", "rewards/exact/mean"),
    "length": ("kept/mean_length", "completions/mean_length"),
    "length_all": ("completions/mean_length",),
    "kept": ("kept/share",),
    "lost": ("lost/share",),
    "flat": ("frac_reward_zero_std",),
    "cut": ("completions/clipped_ratio",),
    "loss": ("loss",),
    "grad_norm": ("grad_norm",),
    "tokens_per_second": ("tokens_per_second",),
    "seconds": ("step_time",),
    "generate": ("time/generate",),
    "reward_time": ("time/reward",),
    "filter_time": ("time/filter",),
    "update": ("time/update",),
}


def read_logs(logs: Mapping[str, Any], prefix: str = "") -> Reading:
    """The figures in `logs`, whose keys start with `prefix`."""
    return Reading(**{field: _first(logs, [prefix + key for key in keys]) for field, keys in _KEYS.items()})


def number(value: Any) -> float | None:
    """`value` as a finite number, None when it is none."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        value = float(value)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _first(logs: Mapping[str, Any], keys: list[str]) -> float | None:
    return next((value for key in keys if (value := number(logs.get(key))) is not None), None)


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
