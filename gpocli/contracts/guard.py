"""What a guard is: it looks at the figures of each step, and says when the run is dying.

A guard is any object with `check(figures) -> Alarm | None`. The figures are those of one line of `metrics.jsonl`, by
the names of `docs/metrics.md`: a name is missing where the step does not tell the figure, and its value is None where
it is a figure of nothing, NaN or infinite. A guard sees nothing else, so what it remembers follows from the lines: a
resumed run shows it those again that came before.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Alarm:
    """What is wrong, with the figure and its bound, and what to do about it: two parts of one line.

    `lines` is the number of last lines that are bad: checkpoints from before them are good. 0: only the last update is.
    """

    text: str
    cure: str
    lines: int = 1


class Guard(Protocol):
    """What every guard has."""

    def check(self, figures: Figures) -> Alarm | None:
        """Look at the next step; None where all is well."""


class Window(BaseModel):
    """The option of every guard that waits until something is so several times in a row."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    window: int = Field(default=10, ge=1)
    """Steps in a row for which it is so; those that do not tell the figure count neither way."""


class InARow(ABC):
    """A guard that gives an alarm when steps are bad `options.window` times in a row."""

    def __init__(self, options: Any) -> None:
        self.options = options
        self._bad, self._lines = 0, 0

    @abstractmethod
    def is_bad(self, figures: Figures) -> bool | None:
        """Whether a step is bad; None where it does not tell."""

    @abstractmethod
    def alarm(self, figures: Figures) -> tuple[str, str]:
        """What is wrong, and what to do about it."""

    def check(self, figures: Figures) -> Alarm | None:
        """Count the step."""
        bad = self.is_bad(figures)
        if bad is False:
            self._bad, self._lines = 0, 0
        if bad or self._lines:
            self._lines += 1
        if not bad:
            return None
        self._bad += 1
        if self._bad < self.options.window:
            return None
        text, cure = self.alarm(figures)
        return Alarm(f"{text} in {self._bad} steps in a row" if self._bad > 1 else text, cure, self._lines)


def told(figures: Figures, *names: str) -> float | None:
    """The first of these figures that the step tells."""
    return next((float(figures[name]) for name in names if figures.get(name) is not None), None)


def of_rewards(figures: Figures, figure: str) -> dict[str, Any]:
    """A figure (`mean`, `std`, `failed`) of each reward that the step tells it of, by the name of the reward."""
    start, end = "rewards/", f"/{figure}"
    return {
        name.removeprefix(start).removesuffix(end): value
        for name, value in figures.items()
        if name.startswith(start) and name.endswith(end)
    }
