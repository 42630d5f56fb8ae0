"""The soft punishment of overlong completions: DAPO, arXiv 2503.14476, equation 13."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field, model_validator

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.columns import one_each
from gpocli.extensions import RewardExtension


class OverlongOptions(Options):
    """Options of `overlong`. The paper uses `max_tokens` 20480 and `buffer` 4096."""

    enabled: bool = True
    """Whether anything is punished; without it no other option is needed and every reward is 0."""
    max_tokens: int | None = Field(default=None, gt=0)
    """Tokens that a completion may have, L_max; the run's own limit of new tokens, as a rule."""
    buffer: int = Field(default=0, ge=0)
    """Tokens in front of `max_tokens` over which the punishment grows, L_cache; 0: none but for cut ones."""
    end_token_ids: list[int] | None = None
    """Ids of the tokens that end a completion; only needed where the trainer does not tell which ended."""

    @model_validator(mode="after")
    def enabled_needs_a_limit(self) -> "OverlongOptions":
        if self.enabled and self.max_tokens is None:
            raise ValueError("overlong needs max_tokens; give the run's own limit of new tokens, or enabled: false")
        return self


class Overlong:
    """For a completion of L tokens, with L_max = `max_tokens` and L_cache = `buffer` (equation 13):

    - 0 for L <= L_max - L_cache
    - ((L_max - L_cache) - L) / L_cache up to L_max
    - -1 beyond, and for a completion that was cut at L_max or later: it would have been longer.
    """

    __name__ = "overlong"

    def __init__(self, options: OverlongOptions) -> None:
        self.options = options

    def __call__(
        self, completion_ids: Sequence[Sequence[int]], finished: Sequence[bool] | None = None, **_: Any
    ) -> list[float | None]:
        return [*map(self._punishment, completion_ids, one_each(finished, len(completion_ids)))]

    def reward_bound(self, length: int) -> float:
        """The punishment of one that ends with its next token, which grows with each."""
        return self._of_length(length + 1, cut=False)

    def _punishment(self, tokens: Sequence[int], finished: bool | None) -> float:
        options = self.options
        return self._of_length(len(tokens), cut=is_cut(tokens, finished, options.end_token_ids, options.max_tokens))

    def _of_length(self, length: int, *, cut: bool) -> float:
        limit, buffer = self.options.max_tokens, self.options.buffer
        if not self.options.enabled or limit is None:
            return 0.0
        # Without a buffer the equation alone would not punish one that was cut, which has just the limit.
        if length > limit or (length == limit and cut):
            return -1.0
        return 0.0 if length <= limit - buffer else (limit - buffer - length) / buffer


def is_cut(
    tokens: Sequence[int], finished: bool | None, end_token_ids: Sequence[int] | None, max_tokens: int | None
) -> bool:
    """Whether a completion stopped at a limit rather than at an end token.

    `finished` decides where the trainer gives it. Without it a completion is cut when it has `max_tokens`
    tokens or more, unless its last one is known to be an end token.
    """
    if finished is not None:
        return not finished
    if max_tokens is None or len(tokens) < max_tokens:
        return False
    return not (end_token_ids and tokens and tokens[-1] in end_token_ids)


EXTENSION = RewardExtension(
    name="overlong",
    build=Overlong,
    summary="0, falling to -1 over the last tokens before a limit (DAPO)",
    options=OverlongOptions,
)
