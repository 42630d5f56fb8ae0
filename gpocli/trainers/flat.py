"""Which groups are flat: no reward tells one of their kept rows from another, so that they give no advantage."""

import torch

from gpocli.contracts.length_pull import is_flat
from gpocli.trainers.race_rewards import weighted_sums


def flat_rows(scored_BF: torch.Tensor, weights_F: torch.Tensor, keep: int, *, by_reward: bool = False) -> torch.Tensor:
    """Which rows are of a flat group, [B], from their rewards [B, F], NaN where one does not apply or is surplus.

    Rows stand group after group, `keep` a group. `by_reward` tells that each reward makes advantages of its own, so
    that a group has signal where any of its rewards differs.
    """
    columns = list(scored_BF.cpu().T) if by_reward else [weighted_sums(scored_BF, weights_F)]
    flat_P = [
        all(is_flat(_known(column_B[start : start + keep])) for column_B in columns)
        for start in range(0, len(scored_BF), keep)
    ]
    return torch.tensor(flat_P, dtype=torch.bool).repeat_interleave(keep)


def _known(rewards_K: torch.Tensor) -> list[float]:
    return [reward for reward in rewards_K.tolist() if reward == reward]
