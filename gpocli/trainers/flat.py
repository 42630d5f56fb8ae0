"""Which groups are flat: no reward tells one of their kept rows from another, so that they give no advantage."""

import math
from collections.abc import Sequence

import torch

from gpocli.contracts import length_pull
from gpocli.evaluation.grader import right_reward
from gpocli.evaluation.right import RIGHT
from gpocli.trainers.figures import Counted, is_flat, mean
from gpocli.trainers.race_rewards import weighted_sums


def flat_rows(scored_BF: torch.Tensor, weights_F: torch.Tensor, keep: int, *, by_reward: bool = False) -> torch.Tensor:
    """Which rows are of a flat group, [B], from their rewards [B, F], NaN where one does not apply or is surplus.

    Rows stand group after group, `keep` a group. `by_reward` tells that each reward makes advantages of its own, so
    that a group has signal where any of its rewards differs.
    """
    columns = list(scored_BF.cpu().T) if by_reward else [weighted_sums(scored_BF, weights_F)]
    flat_P = [
        all(length_pull.is_flat(_known(column_B[start : start + keep])) for column_B in columns)
        for start in range(0, len(scored_BF), keep)
    ]
    return torch.tensor(flat_P, dtype=torch.bool).repeat_interleave(keep)


def _known(rewards_K: torch.Tensor) -> list[float]:
    return [reward for reward in rewards_K.tolist() if reward == reward]


def group_figures(candidates: Sequence[Counted], group_size: int, reward_names: Sequence[str]) -> dict[str, float]:
    """How many groups were sampled, which of them are flat, and what one that is trained on cost in sampled tokens."""
    groups = [candidates[start : start + group_size] for start in range(0, len(candidates), group_size)]
    flat = [group for group in groups if is_flat(group)]
    right = right_reward(reward_names)
    verdicts = [_is_right(group, None if right is None else list(reward_names).index(right)) for group in flat]
    trained = sum(any(not math.isnan(one.advantage) for one in group) and not is_flat(group) for group in groups)
    tokens = sum(one.length for one in candidates)
    return {
        "groups/sampled": len(groups),
        "groups/all_right": verdicts.count(True) / len(groups),
        "groups/all_wrong": verdicts.count(False) / len(groups),
        "groups/tokens_per_trained": tokens / trained if trained else math.nan,
    }


def _is_right(group: Sequence[Counted], place: int | None) -> bool | None:
    """Whether the kept of a flat group are right: by the reward that tells, else by a sum above 0; None: by nothing."""
    paid = [one.reward if place is None else one.rewards[place] for one in group if one.kept]
    known = [reward for reward in paid if reward == reward]
    return mean(known) > (0.0 if place is None else RIGHT) if known else None
