"""Whether the policy that samples is the policy that is trained: the same tokens, the same log-probabilities."""

from collections.abc import Sequence
from typing import Any

import torch

from gpocli.errors import GuardError
from gpocli.trainers.generation_batch import Selected

EVERY = 50
"""Generation batches from one check to the next; the first of a run, and of a resumed one, is always checked."""
ROWS = 4
"""Rows of a process that are compared: a fraction of a percent of the work of so many batches."""
BOUNDS = {torch.float32: 0.01, torch.float16: 0.05, torch.bfloat16: 0.15}
"""Mean absolute difference, in nats a token, that is taken for rounding. On SmolLM2-135M-Instruct on a CPU it is below
1e-4 in 32-bit floats, 0.024 where the passes are computed in bfloat16, 0.030 with weights in bfloat16. The bound of
float16, which trains on a GPU alone, was not measured. Wrong positions or stale weights differ by whole nats."""


class SamplingCheck:
    """Compares what an engine drew with what the trainer gives the same tokens, in a pass of its own over a few rows.

    That finds what no list of models and settings can: positions that the two count differently, an engine with the
    weights of an earlier step, a setting that one of them leaves out. Engines that tell log-probabilities are gpo's own
    loop and vLLM.
    """

    def __init__(self, trainer: Any) -> None:
        self._trainer = trainer
        self._has_checked = False

    def check(self, batch: Selected, output: dict[str, Any]) -> None:
        """Compare and log the differences in the batches whose turn it is. Raises `GuardError` above the bound."""
        trainer, args = self._trainer, self._trainer.args
        is_turn = trainer._step % (EVERY * args.steps_per_generation * trainer.num_iterations) == 0
        if batch.rollout.logps is None or not self._is_comparable() or (self._has_checked and not is_turn):
            return
        self._has_checked = True
        rows = [batch.rollout.logps[i] for i in batch.selection.kept[:ROWS]]
        total, largest, tokens = self._differences(rows, output)
        total, tokens = trainer._processes.totals(total, tokens)
        largest = trainer._processes.gather(torch.tensor([largest], device=trainer.accelerator.device)).max().item()
        mean = total / max(tokens, 1.0)
        if is_turn:
            trainer._metrics["train"]["sampling/logp_difference/mean"].append(mean)
            trainer._metrics["train"]["sampling/logp_difference/max"].append(largest)
        dtype = self._coarser(batch.rollout.dtype)
        bound = BOUNDS[dtype]
        if not mean <= bound:
            raise GuardError(
                "the policy that samples is not the one that is trained: log-probabilities of the same tokens differ "
                f"by {mean:.3g} on average and {largest:.3g} at most, where {bound:g} is the bound for "
                f"{str(dtype).removeprefix('torch.')}; use sampling.engine: generate (rollout='generate'), "
                "and report the model"
            )

    def _differences(self, rows: Sequence[Sequence[float]], output: dict[str, Any]) -> tuple[float, float, float]:
        """The sum and the largest of the absolute differences of the tokens in the loss, and their number."""
        trainer, count = self._trainer, len(rows)
        prompts, completions = output["prompt_ids"][:count], output["completion_ids"][:count]
        masks = output["prompt_mask"][:count], output["completion_mask"][:count]
        with torch.no_grad():
            logps_BT, _, _ = trainer._get_per_token_logps_and_entropies(
                trainer.model, torch.cat([prompts, completions], 1), torch.cat(masks, 1), completions.size(1)
            )
        drawn_BT = torch.zeros_like(logps_BT, dtype=torch.float32)
        for row, drawn in enumerate(rows):
            drawn_BT[row, : len(drawn)] = torch.tensor(drawn)
        difference_BT = (logps_BT.float() - drawn_BT).abs() * masks[1]
        return difference_BT.sum().item(), difference_BT.max().item(), float(masks[1].sum())

    def _is_comparable(self) -> bool:
        """Whether tokens are drawn with the probabilities of the model itself: a cut-off or penalty changes them."""
        trainer = self._trainer
        return (
            trainer.top_p == 1.0
            and not trainer.top_k
            and not trainer.min_p
            and trainer.repetition_penalty == 1.0
            and not trainer.args.generation_kwargs
        )

    def _coarser(self, of_engine: torch.dtype | None) -> torch.dtype:
        own = self._dtype()
        return max(own, of_engine if of_engine in BOUNDS else own, key=BOUNDS.__getitem__)

    def _dtype(self) -> torch.dtype:
        """The type that the passes are computed in, or the coarser one of quantized weights."""
        trainer = self._trainer
        if trainer.args.fp16:
            return torch.float16
        is_quantized = getattr(trainer.accelerator.unwrap_model(trainer.model), "is_quantized", False)
        weights = next(trainer.model.parameters()).dtype
        return torch.bfloat16 if trainer.args.bf16 or is_quantized or weights not in BOUNDS else weights
