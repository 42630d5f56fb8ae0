"""Geometric-Mean Policy Optimization (GMPO, arXiv 2507.20673)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch

from gpocli.algorithms.gmpo import clip_log_ratios
from gpocli.errors import SpecError
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.group_trainer import GroupTrainer
from gpocli.trainers.naming import default_output_dir

_LIVE_ROWS = "live_rows"


@dataclass
class GMPOConfig(GroupConfig):
    """`GRPOConfig` with GMPO's clip range: both epsilons are in log space, 0.4 in the paper.

    A token ratio is trusted between `exp(-epsilon)` and `exp(epsilon_high)`; `epsilon_high=None` means `epsilon`.
    """

    algorithm: ClassVar[str] = "gmpo"

    epsilon: float = field(
        default=0.4,
        metadata={"help": "How far below 0 a token's log-ratio is trusted where the advantage is negative."},
    )
    epsilon_high: float | None = field(
        default=None,
        metadata={"help": "How far above 0 a token's log-ratio is trusted where the advantage is positive; epsilon."},
    )
    loss_type: str = field(default="grpo", metadata={"help": "GMPO has one loss, a mean over sequences."})
    importance_sampling_level: str = field(default="sequence", metadata={"help": "GMPO weighs whole sequences."})
    use_bias_correction_kl: bool = field(
        default=False,
        metadata={"help": "Whether the KL term is weighted with the sequence's importance weight; not in the paper."},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("epsilon", "epsilon_high"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise SpecError(f"{name}={value!r} must be above 0: it is a distance in log space, 0.4 in the paper")


class GMPOTrainer(GroupTrainer):
    """Weigh each sequence with the geometric mean of its clipped token ratios.

    What differs from `GroupTrainer` is the loss. It is the parent's own at `importance_sampling_level="sequence"` and
    `loss_type="grpo"`, without its clip, given an old policy that carries gradient: with c the one-sidedly clipped
    log-ratio, `old = logps - c` makes the parent compute `exp(mean of c) x A` with the right gradient, and KL, entropy
    bonus, MoE auxiliary loss, vLLM correction and off-policy mask are inherited. The mean goes over the sequences of
    an optimizer step that have a valid token, whatever micro-batches they lie in.
    """

    _tag_names = ["trl", "gmpo"]  # noqa: RUF012 (the parent declares it so)
    beta: float
    epsilon_low: float
    epsilon_high: float
    _logps_observer: Callable[[torch.Tensor], None] | None = None

    @classmethod
    def _default_config(cls, model: Any) -> GMPOConfig:
        return GMPOConfig(default_output_dir(model, "GMPO"))

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        low, high, mask_BT, clipped = self.epsilon_low, self.epsilon_high, _loss_mask(inputs), []
        scale = self._live_row_scale(inputs)
        given = inputs | {"advantages": inputs["advantages"] * scale}

        def clip(logps_BT: torch.Tensor) -> None:
            old_BT = inputs.get("old_per_token_logps")
            old_BT = logps_BT.detach() if old_BT is None else old_BT
            given.setdefault("sampling_per_token_logps", old_BT)  # what the off-policy mask compares with
            ratios = clip_log_ratios(logps_BT - old_BT, inputs["advantages"], low, high)
            given["old_per_token_logps"] = logps_BT - ratios.log_ratio_BT
            clipped.append(ratios)

        with self._parent_loss(beta=self.beta * scale, show_logps_to=clip):
            loss: torch.Tensor = super()._compute_loss(model, given)
        self._log_clips(mask_BT, clipped[0].is_low_BT * mask_BT, clipped[0].is_high_BT * mask_BT)
        return loss

    @contextmanager
    def _parent_loss(self, beta: float, show_logps_to: Callable[[torch.Tensor], None]) -> Iterator[None]:
        """The parent's loss without its own clip, with this `beta`, and with a view on the log-probabilities."""
        before = self.epsilon_low, self.epsilon_high, self.beta
        self.epsilon_low = self.epsilon_high = float("inf")
        self.beta, self._logps_observer = beta, show_logps_to
        try:
            yield
        finally:
            self.epsilon_low, self.epsilon_high, self.beta = before
            self._logps_observer = None

    def _get_per_token_logps_and_entropies(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        out: tuple[Any, ...] = super()._get_per_token_logps_and_entropies(*args, **kwargs)
        if self._logps_observer is not None:
            self._logps_observer(out[0])
        return out

    def _live_row_scale(self, inputs: dict[str, Any]) -> float:
        """Turns the parent's mean over all rows into one over the rows of the optimizer step with a valid token."""
        rows: int = inputs["completion_ids"].size(0)
        if not self.model.training:
            return rows / max(1, _live_rows(inputs))
        rows_in_step: int = rows * self.accelerator.num_processes * self.current_gradient_accumulation_steps
        live_in_step: float = inputs.get(_LIVE_ROWS, rows_in_step)
        return rows_in_step / max(1.0, live_in_step)

    def _arrange(self, micro_batches: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Note in each micro-batch how many rows of its optimizer step, on all processes, have a valid token."""
        micro_batches = super()._arrange(micro_batches)
        local = torch.tensor([_live_rows(batch) for batch in micro_batches], device=self.accelerator.device)
        live = self.accelerator.reduce(local, reduction="sum").tolist()
        accumulation = self.args.gradient_accumulation_steps
        if len(micro_batches) % accumulation or self._step % accumulation:
            # The optimizer steps cut across generation batches: take an equal share of this one for each.
            per_step = [sum(live) * accumulation / len(live)] * len(live)
        else:
            starts = [i - i % accumulation for i in range(len(live))]
            per_step = [float(sum(live[start : start + accumulation])) for start in starts]
        return [batch | {_LIVE_ROWS: rows} for batch, rows in zip(micro_batches, per_step, strict=True)]

    def _log_clips(self, mask_BT: torch.Tensor, low_BT: torch.Tensor, high_BT: torch.Tensor) -> None:
        """Write the share of clipped tokens over the parent's figures, which measured the clip that is off."""
        tokens_B = mask_BT.sum(1)
        sums = torch.stack([low_BT.sum(), high_BT.sum(), tokens_B.sum()]).float()
        low, high, tokens = self.accelerator.reduce(sums, reduction="sum").tolist()
        per_row = torch.stack([low_BT.sum(1), high_BT.sum(1)], 1) / tokens_B.clamp(min=1).unsqueeze(1)
        per_row = self.accelerator.gather(per_row.float())
        metrics = self._metrics["train" if self.model.training else "eval"]
        metrics["clip_ratio/low_mean"][-1] = low / max(tokens, 1)
        metrics["clip_ratio/high_mean"][-1] = high / max(tokens, 1)
        metrics["clip_ratio/region_mean"][-1] = (low + high) / max(tokens, 1)
        metrics["clip_ratio/low_min"][-1] = per_row[:, 0].min().item()
        metrics["clip_ratio/high_max"][-1] = per_row[:, 1].max().item()


def _loss_mask(inputs: dict[str, Any]) -> torch.Tensor:
    mask: torch.Tensor = inputs["completion_mask"]
    return mask * inputs["tool_mask"] if "tool_mask" in inputs else mask


def _live_rows(inputs: dict[str, Any]) -> int:
    return int((_loss_mask(inputs).sum(1) > 0).sum())
