"""GMPO's loss: the geometric mean of clipped token ratios, once for each sequence.

With r the log-ratio of a token under the new and the old policy and A the advantage of its sequence (paper, equations
4 and 5):

    c    = min(r, epsilon_high) where A >= 0, else max(r, -epsilon_low)
    loss = - mean over sequences of  A * exp(mean over tokens of c)

**Why it goes through TRL's loss.** The formula above is two lines, but a GRPO loss is more than its policy term: the KL
term, the entropy bonus with its adaptive controller, the load-balancing loss of experts, the correction for vLLM's
log-probabilities, the mask for sequences that are off-policy, their metrics, and the division by accumulation steps
and processes. Each is an option that a user of `GRPOConfig` expects to work, several change with TRL's releases, and a
second copy of them is what made TRL's own GMPO ignore a dozen options without a word.

TRL's loss at `importance_sampling_level="sequence"` and `loss_type="grpo"`, without its own clip, is
`- mean of A * exp(mean over tokens of (logps - old))`. Given `old = logps - c`, whose gradient is not stopped, the
exponent is the mean of c, in value and in gradient: where the clip acts c is constant and no gradient passes, elsewhere
it is that of logps. So all that differs from GRPO is what stands in `GeometricMean.seen`. Tests hold it to the formula,
to TRL's GMPO class and to a float64 reference.

The mean goes over the sequences of an optimizer step that have a valid token, whatever micro-batches and processes they
lie in: surplus rows and rows that TRL masks count in neither the value nor the denominator (see `objective`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from gpocli.algorithms.gmpo import ClippedRatios, clip_log_ratios
from gpocli.trainers.objective import ROW_WEIGHT, Inputs, Objective, changed, loss_mask, weighed

_NO_CLIP = {"epsilon_low": float("inf"), "epsilon_high": float("inf")}


@dataclass
class _Pending:
    """A loss that is being computed: what the parent is given, and where the clip acted once it is known."""

    given: Inputs
    advantage_B: torch.Tensor
    epsilon_low: float
    epsilon_high: float
    clipped: ClippedRatios | None = None


class GeometricMean(Objective):
    """The objective of GMPO; see the module's docstring."""

    def __init__(self) -> None:
        self._pending: _Pending | None = None

    def seen(self, passed: tuple[Any, ...]) -> tuple[Any, ...]:
        """Put `logps - c` in the place of the old policy, as soon as the log-probabilities of a loss are known."""
        pending = self._pending
        if pending is not None:
            logps_BT, given = passed[0], pending.given
            old_BT = given.get("old_per_token_logps")
            old_BT = logps_BT.detach() if old_BT is None else old_BT
            given.setdefault("sampling_per_token_logps", old_BT)  # what the off-policy mask compares with
            pending.clipped = clip_log_ratios(
                logps_BT - old_BT, pending.advantage_B, pending.epsilon_low, pending.epsilon_high
            )
            given["old_per_token_logps"] = logps_BT - pending.clipped.log_ratio_BT
        return passed

    def arranged(self, trainer: Any, micro_batches: list[Inputs]) -> list[Inputs]:
        """Note in each micro-batch what its rows with a valid token weigh in its optimizer step."""
        return weighed(trainer, micro_batches, _valid_rows)

    def has_row_ratios(self, trainer: Any) -> bool:
        """GMPO clips tokens, and takes their mean afterwards."""
        return False

    def loss(self, trainer: Any, parent: Callable[[Inputs], torch.Tensor], inputs: Inputs) -> torch.Tensor:
        """The loss of a micro-batch: its part of the mean over the sequences of the optimizer step."""
        if ROW_WEIGHT not in inputs:  # in evaluation each batch stands alone
            valid_B = _valid_rows(inputs)
            inputs = inputs | {ROW_WEIGHT: len(valid_B) / max(1, int(valid_B.sum()))}
        clip = trainer.epsilon_low, trainer.epsilon_high

        def unclipped(given: Inputs) -> torch.Tensor:
            self._pending = _Pending(given, inputs["advantages"], *clip)
            with changed(trainer, **_NO_CLIP):
                return parent(given)

        try:
            loss = super().loss(trainer, unclipped, inputs)
            clipped = self._pending.clipped if self._pending is not None else None
            if clipped is None:  # the loss would be the parent's, and nobody would notice
                raise RuntimeError("TRL's loss asked for no log-probabilities, which GMPO's has to see")
            _log_clips(trainer, loss_mask(inputs), clipped)
        finally:
            self._pending = None
        return loss


def _log_clips(trainer: Any, mask_BT: torch.Tensor, clipped: ClippedRatios) -> None:
    """Write the share of clipped tokens over the parent's figures, which measured the clip that is off."""
    low_BT, high_BT, tokens_B = clipped.is_low_BT * mask_BT, clipped.is_high_BT * mask_BT, mask_BT.sum(1)
    sums = torch.stack([low_BT.sum(), high_BT.sum(), tokens_B.sum()]).float()
    low, high, tokens = trainer.accelerator.reduce(sums, reduction="sum").tolist()
    per_row = torch.stack([low_BT.sum(1), high_BT.sum(1)], 1) / tokens_B.clamp(min=1).unsqueeze(1)
    per_row = trainer.accelerator.gather(torch.where(tokens_B.unsqueeze(1) > 0, per_row.float(), torch.nan))
    metrics = trainer._metrics["train" if trainer.model.training else "eval"]
    metrics["clip_ratio/low_mean"][-1] = low / max(tokens, 1)
    metrics["clip_ratio/high_mean"][-1] = high / max(tokens, 1)
    metrics["clip_ratio/region_mean"][-1] = (low + high) / max(tokens, 1)
    metrics["clip_ratio/low_min"][-1] = per_row[:, 0].nan_to_num(torch.inf).min().item()
    metrics["clip_ratio/high_max"][-1] = per_row[:, 1].nan_to_num(-torch.inf).max().item()


def _valid_rows(inputs: Inputs) -> torch.Tensor:
    """Which sequences have a valid token, [B]."""
    return loss_mask(inputs).sum(1) > 0
