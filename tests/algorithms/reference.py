"""The losses of the papers, written by hand: what the trainers must come to.

B rows of T tokens each; `mask_BT` is 1 on the tokens of a completion, `log_ratio_BT` the log of the new over the old
probability of each, and `tokens` the mean number of tokens that an update of the generation batch has.
"""

import torch

from gpocli.algorithms.gmpo import clip_log_ratios


def gmpo_loss(
    log_ratio_BT: torch.Tensor,
    advantage_B: torch.Tensor,
    mask_BT: torch.Tensor,
    epsilon_low: float = 0.4,
    epsilon_high: float = 0.4,
) -> torch.Tensor:
    """GMPO (arXiv 2507.20673, equations 4 and 5).

    A row without a token is left out of the value and of the denominator; a batch without any valid row has loss 0.
    """
    clipped_BT = clip_log_ratios(log_ratio_BT, advantage_B, epsilon_low, epsilon_high).log_ratio_BT
    tokens_B = mask_BT.sum(1)
    geometric_mean_B = torch.exp((clipped_BT * mask_BT).sum(1) / tokens_B.clamp(min=1))
    is_live_B = tokens_B > 0
    return (-advantage_B * geometric_mean_B * is_live_B).sum() / is_live_B.sum().clamp(min=1)


def clipped(ratio: torch.Tensor, advantage: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """PPO's clipped objective of each ratio."""
    return torch.minimum(ratio * advantage, ratio.clamp(1 - low, 1 + high) * advantage)


def gspo_loss(logps_BT, log_ratio_BT, advantage_B, mask_BT, tokens, low=3e-4, high=4e-4):
    """GSPO (arXiv 2507.18071, equations 5 and 7): the ratio of a sequence is the geometric mean of its tokens'."""
    ratio_B = torch.exp((log_ratio_BT * mask_BT).sum(1) / mask_BT.sum(1))
    return -clipped(ratio_B, advantage_B, low, high).mean()


def dapo_loss(logps_BT, log_ratio_BT, advantage_B, mask_BT, tokens, low=0.2, high=0.28):
    """DAPO (arXiv 2503.14476, equation 8): all tokens weigh alike."""
    objective_BT = clipped(log_ratio_BT.exp(), advantage_B[:, None], low, high)
    return -(objective_BT * mask_BT).sum() / tokens


def dr_grpo_loss(logps_BT, log_ratio_BT, advantage_B, mask_BT, tokens, low=0.2, high=0.2, *, max_tokens):
    """Dr. GRPO (arXiv 2503.20783, section 3.2): the sum over tokens by a constant, the mean over rows."""
    objective_BT = clipped(log_ratio_BT.exp(), advantage_B[:, None], low, high)
    return -((objective_BT * mask_BT).sum(1) / max_tokens).mean()


def cispo_loss(logps_BT, log_ratio_BT, advantage_B, mask_BT, tokens, *, cap):
    """CISPO (arXiv 2506.13585, equations 4 and 5, without a lower bound): a capped weight times log p."""
    weight_BT = log_ratio_BT.exp().clamp(max=cap).detach()
    return -(weight_BT * advantage_B[:, None] * logps_BT * mask_BT).sum() / tokens
