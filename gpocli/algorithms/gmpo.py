"""Geometric-Mean Policy Optimization (GMPO, arXiv 2507.20673): the clipped log-ratios and the loss.

With r the log-ratio of a token under the new and the old policy, A the advantage of its sequence and c the
one-sidedly clipped r, the loss of a sequence is `-A * exp(mean of c over its valid tokens)` (paper, equations
4 and 5), and the loss of a batch is the mean over the sequences that have a valid token.
"""

from typing import NamedTuple

import torch


class ClippedRatios(NamedTuple):
    """Log-ratios after GMPO's clip, and where the clip acted. Each has shape (B, T)."""

    log_ratio_BT: torch.Tensor
    is_low_BT: torch.Tensor
    is_high_BT: torch.Tensor


def clip_log_ratios(
    log_ratio_BT: torch.Tensor, advantage_B: torch.Tensor, epsilon_low: float, epsilon_high: float
) -> ClippedRatios:
    """Clip on the side where a further step would no longer be trusted, in log space.

    A >= 0 is capped from above at `epsilon_high`; A < 0 is floored from below at `-epsilon_low`. An advantage of
    zero takes the capped side, so that an exploding ratio times zero stays zero.
    """
    positive_B1 = (advantage_B >= 0).unsqueeze(1)
    capped = log_ratio_BT.clamp(max=epsilon_high)
    floored = log_ratio_BT.clamp(min=-epsilon_low)
    return ClippedRatios(
        torch.where(positive_B1, capped, floored),
        ~positive_B1 & (log_ratio_BT < -epsilon_low),
        positive_B1 & (log_ratio_BT > epsilon_high),
    )


def gmpo_loss(
    log_ratio_BT: torch.Tensor,
    advantage_B: torch.Tensor,
    mask_BT: torch.Tensor,
    epsilon_low: float = 0.4,
    epsilon_high: float = 0.4,
) -> torch.Tensor:
    """The loss of a batch, a scalar. The trainer reaches the same value through its parent's loss.

    `mask_BT` is 1 on valid tokens. A row without any is left out of the value and of the denominator; a batch
    without any valid row has loss 0.
    """
    clipped_BT = clip_log_ratios(log_ratio_BT, advantage_B, epsilon_low, epsilon_high).log_ratio_BT
    tokens_B = mask_BT.sum(1)
    geometric_mean_B = torch.exp((clipped_BT * mask_BT).sum(1) / tokens_B.clamp(min=1))
    is_live_B = tokens_B > 0
    return (-advantage_B * geometric_mean_B * is_live_B).sum() / is_live_B.sum().clamp(min=1)
