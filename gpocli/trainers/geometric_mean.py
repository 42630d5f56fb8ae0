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
lie in. TRL's goes over the rows of each micro-batch, so advantages and KL weight are scaled by the ratio of the two.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from gpocli.algorithms.gmpo import ClippedRatios, clip_log_ratios
from gpocli.trainers.objective import Inputs, Objective

_LIVE_ROWS = "live_rows"


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

    def loss(self, trainer: Any, parent: Callable[[Inputs], torch.Tensor], inputs: Inputs) -> torch.Tensor:
        """The loss of a micro-batch: its share of the mean over the sequences of the optimizer step."""
        scale = _live_row_scale(trainer, inputs)
        given = inputs | {"advantages": inputs["advantages"] * scale}
        pending = _Pending(given, inputs["advantages"], trainer.epsilon_low, trainer.epsilon_high)
        with _without_clip(trainer, beta=trainer.beta * scale):
            self._pending = pending
            try:
                loss = parent(given)
            finally:
                self._pending = None
        if pending.clipped is not None:
            _log_clips(trainer, _loss_mask(inputs), pending.clipped)
        return loss

    def arranged(self, trainer: Any, micro_batches: list[Inputs]) -> list[Inputs]:
        """Note in each micro-batch how many rows of its optimizer step, on all processes, have a valid token."""
        local = torch.tensor([_live_rows(batch) for batch in micro_batches], device=trainer.accelerator.device)
        live = trainer.accelerator.reduce(local, reduction="sum").tolist()
        accumulation = trainer.args.gradient_accumulation_steps
        if len(micro_batches) % accumulation or trainer._step % accumulation:
            # The optimizer steps cut across generation batches: take an equal share of this one for each.
            per_step = [sum(live) * accumulation / len(live)] * len(live)
        else:
            starts = [i - i % accumulation for i in range(len(live))]
            per_step = [float(sum(live[start : start + accumulation])) for start in starts]
        return [batch | {_LIVE_ROWS: rows} for batch, rows in zip(micro_batches, per_step, strict=True)]


@contextmanager
def _without_clip(trainer: Any, beta: float) -> Iterator[None]:
    """The trainer's loss without its own clip, and with this `beta`."""
    before = trainer.epsilon_low, trainer.epsilon_high, trainer.beta
    trainer.epsilon_low, trainer.epsilon_high, trainer.beta = float("inf"), float("inf"), beta
    try:
        yield
    finally:
        trainer.epsilon_low, trainer.epsilon_high, trainer.beta = before


def _live_row_scale(trainer: Any, inputs: Inputs) -> float:
    """Turns the parent's mean over all rows into one over the rows of the optimizer step with a valid token."""
    rows: int = inputs["completion_ids"].size(0)
    if not trainer.model.training:
        return rows / max(1, _live_rows(inputs))
    rows_in_step: int = rows * trainer.accelerator.num_processes * trainer.current_gradient_accumulation_steps
    live_in_step: float = inputs.get(_LIVE_ROWS, rows_in_step)
    return rows_in_step / max(1.0, live_in_step)


def _log_clips(trainer: Any, mask_BT: torch.Tensor, clipped: ClippedRatios) -> None:
    """Write the share of clipped tokens over the parent's figures, which measured the clip that is off."""
    low_BT, high_BT, tokens_B = clipped.is_low_BT * mask_BT, clipped.is_high_BT * mask_BT, mask_BT.sum(1)
    sums = torch.stack([low_BT.sum(), high_BT.sum(), tokens_B.sum()]).float()
    low, high, tokens = trainer.accelerator.reduce(sums, reduction="sum").tolist()
    per_row = torch.stack([low_BT.sum(1), high_BT.sum(1)], 1) / tokens_B.clamp(min=1).unsqueeze(1)
    per_row = trainer.accelerator.gather(per_row.float())
    metrics = trainer._metrics["train" if trainer.model.training else "eval"]
    metrics["clip_ratio/low_mean"][-1] = low / max(tokens, 1)
    metrics["clip_ratio/high_mean"][-1] = high / max(tokens, 1)
    metrics["clip_ratio/region_mean"][-1] = (low + high) / max(tokens, 1)
    metrics["clip_ratio/low_min"][-1] = per_row[:, 0].min().item()
    metrics["clip_ratio/high_max"][-1] = per_row[:, 1].max().item()


def _loss_mask(inputs: Inputs) -> torch.Tensor:
    mask: torch.Tensor = inputs["completion_mask"]
    return mask * inputs["tool_mask"] if "tool_mask" in inputs else mask


def _live_rows(inputs: Inputs) -> int:
    return int((_loss_mask(inputs).sum(1) > 0).sum())
