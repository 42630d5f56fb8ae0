"""The reward for one think block followed by an answer."""

from collections.abc import Sequence
from typing import Any

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.columns import one_each
from gpocli.builtin.rewards.thinking import Opening, is_well_formed
from gpocli.contracts.completion import completion_text
from gpocli.extensions import RewardExtension


class ThinkFormatOptions(Options):
    """Options of `think_format`."""

    opening: Opening = "auto"
    """Who writes the opening tag: `prompt` (or its chat template), `completion`, or `auto`: whoever did."""


class ThinkFormat:
    """1.0 for exactly one `<think>...</think>` and then an answer that is not empty, else 0.0.

    With `opening: auto` a completion without an opening tag is taken to continue a prompt that has one, and
    one with an opening tag is wrong when the prompt visibly has one already.
    """

    __name__ = "think_format"

    def __init__(self, options: ThinkFormatOptions) -> None:
        self.options = options

    def __call__(
        self, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **_: Any
    ) -> list[float | None]:
        return [
            float(is_well_formed(completion_text(completion), self.options.opening, prompt))
            for completion, prompt in zip(completions, one_each(prompts, len(completions)), strict=True)
        ]

    def reward_bound(self, length: int) -> float:
        """A longer completion may still be well formed."""
        return 1.0


EXTENSION = RewardExtension(
    name="think_format",
    build=ThinkFormat,
    summary="1 for one think block and then an answer",
    options=ThinkFormatOptions,
)
