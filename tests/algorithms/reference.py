"""The losses of the papers, written by hand: what the trainers must come to."""

import torch

from gpocli.algorithms.gmpo import clip_log_ratios


def gmpo_loss(
    log_ratio_BT: torch.Tensor,
    advantage_B: torch.Tensor,
    mask_BT: torch.Tensor,
    epsilon_low: float = 0.4,
    epsilon_high: float = 0.4,
) -> torch.Tensor:
    """GMPO's loss of a batch, a scalar. `mask_BT` is 1 on valid tokens.

    A row without any is left out of the value and of the denominator; a batch without any valid row has loss 0.
    """
    clipped_BT = clip_log_ratios(log_ratio_BT, advantage_B, epsilon_low, epsilon_high).log_ratio_BT
    tokens_B = mask_BT.sum(1)
    geometric_mean_B = torch.exp((clipped_BT * mask_BT).sum(1) / tokens_B.clamp(min=1))
    is_live_B = tokens_B > 0
    return (-advantage_B * geometric_mean_B * is_live_B).sum() / is_live_B.sum().clamp(min=1)
