"""The penalty for saying the same again: the share of n-grams that are repeats (arXiv 2502.03373)."""

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.contracts.completion import completion_text
from gpocli.extensions import RewardExtension

_WORD = re.compile(r"\S+")


class RepetitionOptions(Options):
    """Options of `repetition`."""

    unit: Literal["tokens", "words"] = "tokens"
    """What an n-gram is made of; `words` are parted by white space and compared without capitals."""
    ngram: int = Field(default=4, ge=1, le=1000)
    """Units of an n-gram."""
    free_share: float = Field(default=0.0, ge=0, lt=1)
    """Share of repeated n-grams that is not punished, from 0 to below 1; sound reasoning repeats some."""
    max_penalty: float = Field(default=1.0, gt=0, le=1e6)
    """The penalty that a completion comes close to which says one thing for ever."""


class Repetition:
    """`-max_penalty * clip((r - free_share) / (1 - free_share), 0, 1)`, where
    `r = 1 - distinct n-grams / n-grams`; 0 for a completion too short for an n-gram.
    """

    __name__ = "repetition"

    def __init__(self, options: RepetitionOptions) -> None:
        self.options = options

    def __call__(
        self, completions: Sequence[Any], completion_ids: Sequence[Sequence[int]], **_: Any
    ) -> list[float | None]:
        if self.options.unit == "tokens":
            return [self._penalty(tokens) for tokens in completion_ids]
        return [self._penalty(_WORD.findall(completion_text(one).casefold())) for one in completions]

    def reward_bound(self, length: int) -> float:
        """What is new may still outweigh what was repeated."""
        return 0.0

    def _penalty(self, units: Sequence[Any]) -> float:
        free = self.options.free_share
        share = min(max((repeated_share(units, self.options.ngram) - free) / (1.0 - free), 0.0), 1.0)
        return 0.0 - self.options.max_penalty * share  # not -0.0


def repeated_share(units: Sequence[Any], size: int) -> float:
    """The share of the n-grams of `size` units that came before, from 0 to below 1."""
    count = len(units) - size + 1
    if count < 1:
        return 0.0
    return 1.0 - len({tuple(units[start : start + size]) for start in range(count)}) / count


EXTENSION = RewardExtension(
    name="repetition",
    build=Repetition,
    summary="0, falling with the share of n-grams that are repeats",
    options=RepetitionOptions,
)
