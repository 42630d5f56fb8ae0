"""A reward for gpo: the share of distinct words, so that completions which repeat themselves earn less."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

import gpocli
from gpocli.contracts.completion import completion_text


class Options(BaseModel):
    """From which length on repetition counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at_least: int = Field(default=4, ge=1)
    """Completions with fewer words get no reward from here (None: it does not apply)."""


class DistinctWords:
    """Rewards a completion with distinct words / words, from near 0 to 1; text and chat messages alike."""

    def __init__(self, options: Options) -> None:
        self.at_least = options.at_least

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        return [self.share(completion_text(completion).lower().split()) for completion in completions]

    def share(self, words: list[str]) -> float | None:
        return len(set(words)) / len(words) if len(words) >= self.at_least else None


@gpocli.hookimpl
def gpo_rewards() -> list[gpocli.RewardExtension]:
    return [gpocli.RewardExtension("distinct_words", DistinctWords, "the share of words that are distinct", Options)]
