"""The completions with the most reward a token are kept (GFPO's token efficiency, arXiv 2508.09726)."""

import math
import sys
from collections.abc import Sequence
from typing import Any

from gpocli.builtin.filters.length import token_lengths
from gpocli.extensions import FilterExtension

LOWEST = -sys.float_info.max
_SMALLEST = math.ulp(0.0)


def efficiency(reward: float, length: int) -> float:
    """The token efficiency of a completion of `length` tokens; finite, and NaN rewards have the lowest one.

    - reward > 0: reward / length, as in the paper;
    - reward < 0: reward x length, since every token of a bad answer makes it worse;
    - reward = 0: between the two, and the shorter the better (the smallest float x -length).

    So of two completions with equal rewards the shorter one ranks higher, and of two of equal length the one
    with the higher reward, whatever the signs. An empty completion counts as one token.
    """
    length = max(length, 1)
    if math.isnan(reward):
        return LOWEST
    if reward > 0:
        return reward / length
    return max(min(reward, -_SMALLEST) * length, LOWEST)  # finite, as scores must be


class TokenEfficiency:
    """Scores a completion by its total reward a token; see `efficiency` for rewards that are not positive."""

    def __call__(
        self,
        group_completions: Sequence[Sequence[Any]],
        group_rewards: Sequence[Sequence[float]],
        completion_lengths: Sequence[Sequence[int]] | None = None,
        completion_ids: Sequence[Sequence[Sequence[int]]] | None = None,
    ) -> list[list[float]]:
        lengths_PG = token_lengths(completion_lengths, completion_ids)
        return [
            [efficiency(reward, length) for reward, length in zip(rewards_G, lengths_G, strict=True)]
            for rewards_G, lengths_G in zip(group_rewards, lengths_PG, strict=True)
        ]

    def score_bound(self, length: int, max_reward: float) -> float:
        """The most reward with one token more: `efficiency` grows with the reward and falls with each token."""
        return efficiency(max_reward, length + 1)


EXTENSION = FilterExtension(
    name="token_efficiency",
    build=lambda options: TokenEfficiency(),
    summary="keep the completions with the most reward a token",
)
