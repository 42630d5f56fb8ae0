"""A filter is there to shorten completions, and what it keeps teaches to write more."""

import math

from pydantic import Field

from gpocli.contracts.guard import Alarm, Figures, Window, told
from gpocli.extensions import GuardExtension

SHORTENS = frozenset(("length", "contrast", "token_efficiency", "adaptive_difficulty"))
"""The filters that are taken to make completions shorter."""


class WordierOptions(Window):
    """Options of `wordier`."""

    window: int = Field(default=20, ge=1)
    """Steps whose mean correlation is looked at; those that do not tell it count neither way."""
    bound: float = Field(default=0.1, ge=0, le=1)
    """The mean correlation of advantage and length, above which the run learns to write more."""
    filter: str = ""
    """The filters of the run, as in `correct > length`; a run fills them in."""


class Wordier:
    """Looks at `kept/advantage_length_correlation`, where a filter of the run is named for length."""

    def __init__(self, options: WordierOptions) -> None:
        self.options = options
        self.filters = options.filter.split(" > ")
        self.correlations: list[float] = []

    def check(self, figures: Figures) -> Alarm | None:
        correlation, window = told(figures, "kept/advantage_length_correlation"), self.options.window
        if correlation is None or not SHORTENS.intersection(self.filters):
            return None
        self.correlations = [*self.correlations, correlation][-window:]
        mean = math.fsum(self.correlations) / window
        if len(self.correlations) < window or mean <= self.options.bound:
            return None
        text = f"what the filter '{self.options.filter}' keeps teaches to write more, not less: "
        text += f"kept/advantage_length_correlation is {mean:.2f} on average of {window} steps"
        return Alarm(text, f"{self._cure()}, if answers are to become shorter", window)

    def _cure(self) -> str:
        add = "add the reward length_penalty"
        return add if "contrast" in self.filters else f"write filters: [contrast] (--filter contrast), or {add}"


EXTENSION = GuardExtension(
    name="wordier",
    build=Wordier,
    summary="a filter for short completions teaches to write long ones",
    options=WordierOptions,
    action="warn",
)
