"""The loss of a whole optimizer step, written by hand in float64 from TRL's formulas: over the rows that are there.

Every micro-batch of the step, of whichever process, is a `Part` with its live rows alone: those that the filter asked
for. Rows that TRL itself masks (`mask_truncated_completions`) are live rows without a token.

| loss | what it is a mean over |
| --- | --- |
| grpo, sapo | the live rows of the step, of the mean over the tokens of each |
| dr_grpo | the live rows of the step, of the sum over tokens by the limit of tokens |
| luspo | the live rows of the step, of the sum over tokens |
| gmpo | the live rows of the step that have a token, of the geometric mean of the clipped ratios of each |
| bnpo, and the entropy bonus | the micro-batches that have a live row, of the mean over their tokens |
| dapo, cispo, vespo | the tokens of the generation batch, an equal share of them for each update |
"""

from dataclasses import dataclass

import torch

LOSS_TYPES = ("bnpo", "cispo", "dapo", "dr_grpo", "grpo", "luspo", "sapo", "vespo")
OVER_ROWS = ("dr_grpo", "grpo", "luspo", "sapo")


@dataclass
class Part:
    """B live rows of T tokens: log-probabilities of the new, old and reference policy, entropies, [B, T] each."""

    logps_BT: torch.Tensor
    old_BT: torch.Tensor
    ref_BT: torch.Tensor
    entropy_BT: torch.Tensor
    mask_BT: torch.Tensor
    advantage_B: torch.Tensor


@dataclass
class Weights:
    """TRL's defaults, but for those that the tests set."""

    beta: float = 0.0
    entropy_coef: float = 0.0
    epsilon: float = 0.2
    epsilon_high: float = 0.2
    max_tokens: int = 12
    sequence_level: bool = False


def step_loss(loss_type: str, parts: list[Part], tokens: float, weights: Weights) -> torch.Tensor:
    """The loss of a step; `tokens` is the mean number of tokens that an update of the generation batch has."""
    parts = [part for part in parts if len(part.advantage_B)]
    losses = [token_loss(loss_type, part, weights) * part.mask_BT for part in parts]
    lengths = [part.mask_BT.sum(1).clamp(min=1) for part in parts]
    if loss_type == "gmpo":
        valid_BT = torch.cat(losses)[torch.cat([part.mask_BT.any(1) for part in parts])]
        loss = valid_BT[:, 0].mean()
    elif loss_type in ("grpo", "sapo"):
        loss = torch.cat([loss_BT.sum(1) / length_B for loss_BT, length_B in zip(losses, lengths, strict=True)]).mean()
    elif loss_type == "dr_grpo":
        loss = torch.cat([loss_BT.sum(1) / weights.max_tokens for loss_BT in losses]).mean()
    elif loss_type == "luspo":
        loss = torch.cat([loss_BT.sum(1) for loss_BT in losses]).mean()
    elif loss_type == "bnpo":
        means = [loss_BT.sum() / part.mask_BT.sum().clamp(min=1) for loss_BT, part in zip(losses, parts, strict=True)]
        loss = torch.stack(means).mean()
    else:
        loss = torch.stack([loss_BT.sum() for loss_BT in losses]).sum() / tokens
    entropies = [(part.entropy_BT * part.mask_BT).sum() / part.mask_BT.sum().clamp(min=1) for part in parts]
    return loss - weights.entropy_coef * torch.stack(entropies).mean()


def token_loss(loss_type: str, part: Part, weights: Weights) -> torch.Tensor:
    """The loss of each token with its KL term, which the ratio weighs (`use_bias_correction_kl`), [B, T]."""
    advantage_B1 = part.advantage_B[:, None]
    log_ratio_BT = part.logps_BT - part.old_BT
    ratio = log_ratio_BT.exp()
    if weights.sequence_level:
        ratio = ((log_ratio_BT * part.mask_BT).sum(1, True) / part.mask_BT.sum(1, True).clamp(min=1)).exp()
    if loss_type == "gmpo":
        capped_BT, floored_BT = log_ratio_BT.clamp(max=weights.epsilon_high), log_ratio_BT.clamp(min=-weights.epsilon)
        clipped_BT = torch.where(advantage_B1 >= 0, capped_BT, floored_BT)
        length_B1 = part.mask_BT.sum(1, True).clamp(min=1)
        loss = -advantage_B1 * ((clipped_BT * part.mask_BT).sum(1, True) / length_B1).exp()
    elif loss_type == "cispo":
        loss = -ratio.clamp(max=weights.epsilon_high).detach() * advantage_B1 * part.logps_BT
    elif loss_type == "sapo":
        temperature_B1 = torch.where(advantage_B1 > 0, 1.0, 1.05)
        loss = -torch.sigmoid(temperature_B1 * (ratio - 1)) * 4 / temperature_B1 * advantage_B1
    elif loss_type == "vespo":
        loss = -vespo_weight(log_ratio_BT, part).detach() * advantage_B1 * part.logps_BT
    else:
        clipped = ratio.clamp(1 - weights.epsilon, 1 + weights.epsilon_high)
        loss = -torch.minimum(ratio * advantage_B1, clipped * advantage_B1)
    to_ref_BT = part.ref_BT - part.logps_BT
    return loss + weights.beta * ratio * (to_ref_BT.exp() - to_ref_BT - 1)


def vespo_weight(log_ratio_BT: torch.Tensor, part: Part) -> torch.Tensor:
    """e^lambda * w^k * e^(-lambda * w) of the ratio w of a sequence, [B, 1]."""
    is_positive_B1 = part.advantage_B[:, None] >= 0
    k_B1 = torch.where(is_positive_B1, 2.0, 3.0)
    lambda_B1 = torch.where(is_positive_B1, 3.0, 2.0)
    log_w_B1 = (log_ratio_BT * part.mask_BT).sum(1, True)
    return (lambda_B1 + k_B1 * log_w_B1 - lambda_B1 * log_w_B1.exp()).exp()
