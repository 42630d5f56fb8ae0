"""A filter for gpo: the completions with the fewest lines are kept."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

import gpocli
from gpocli.contracts.completion import completion_text


class Options(BaseModel):
    """What counts as a line."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    blank: bool = False
    """Count blank lines too."""


class FewestLines:
    """Scores a completion with minus its number of lines; text and chat messages alike."""

    needs_rewards = False

    def __init__(self, options: Options) -> None:
        self.count_blank = options.blank

    def __call__(
        self, group_completions: Sequence[Sequence[Any]], group_rewards: Sequence[Sequence[float]] | None
    ) -> list[list[float]]:
        return [[-float(self.lines(completion)) for completion in group] for group in group_completions]

    def lines(self, completion: Any) -> int:
        return sum(self.count_blank or bool(line.strip()) for line in completion_text(completion).split("\n"))


@gpocli.hookimpl
def gpo_filters() -> list[gpocli.FilterExtension]:
    return [gpocli.FilterExtension("fewest_lines", FewestLines, "keep the completions with the fewest lines", Options)]
