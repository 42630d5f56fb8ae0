"""A penalty that grows evenly with the length of a completion."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field, model_validator

from gpocli.builtin.options import Options
from gpocli.extensions import RewardExtension


class LengthPenaltyOptions(Options):
    """Options of `length_penalty`."""

    target_tokens: int = Field(default=0, ge=0)
    """Tokens that are free."""
    max_tokens: int = Field(default=1024, gt=0)
    """Tokens from which on the penalty is full."""
    max_penalty: float = Field(default=1.0, gt=0, le=1e6)
    """The full penalty; the reward is then minus this."""

    @model_validator(mode="after")
    def max_lies_beyond_target(self) -> "LengthPenaltyOptions":
        if self.max_tokens <= self.target_tokens:
            raise ValueError(
                f"max_tokens {self.max_tokens} is not more than target_tokens {self.target_tokens}; "
                f"give at least {self.target_tokens + 1}"
            )
        return self


class LengthPenalty:
    """`-max_penalty * clip((L - target_tokens) / (max_tokens - target_tokens), 0, 1)` for L tokens."""

    __name__ = "length_penalty"

    def __init__(self, options: LengthPenaltyOptions) -> None:
        self.options = options

    def __call__(self, completion_ids: Sequence[Sequence[int]], **_: Any) -> list[float | None]:
        return [self._of_length(len(tokens)) for tokens in completion_ids]

    def reward_bound(self, length: int) -> float:
        """The penalty of one token more, which grows with each."""
        return self._of_length(length + 1)

    def _of_length(self, length: int) -> float:
        free, full = self.options.target_tokens, self.options.max_tokens
        share = min(max((length - free) / (full - free), 0.0), 1.0)
        return 0.0 - self.options.max_penalty * share  # not -0.0


EXTENSION = RewardExtension(
    name="length_penalty",
    build=LengthPenalty,
    summary="0 for short completions, falling evenly with each token",
    options=LengthPenaltyOptions,
)
