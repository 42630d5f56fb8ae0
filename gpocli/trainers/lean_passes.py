"""Log-probability passes without empty columns, in micro-batches of like length. The numbers stay the same."""

from typing import Any

import torch
from trl import GRPOTrainer

from gpocli.rollout.trim import length_chunks, order_by_length, trimmable_sides, used_columns
from gpocli.trainers.lm_head import completions_only


class LeanPasses(GRPOTrainer):  # type: ignore[misc]
    """`GRPOTrainer` that computes no column that is padding in all rows at hand.

    Every pass over the model (loss, old and reference log-probabilities) is trimmed, and rows of like length share a
    micro-batch, within one optimizer step. Images, and losses that depend on which rows share a micro-batch, keep the
    parent's way.
    """

    _buffered_inputs: list[dict[str, Any]] | None

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        batch_size: int | None = None,
        **kwargs: Any,
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
        is_text = all(value is None for name, value in kwargs.items() if not name.startswith("compute_"))
        if not is_text or self.pad_to_multiple_of is not None:
            return super()._get_per_token_logps_and_entropies(  # type: ignore[no-any-return]
                model, input_ids, attention_mask, logits_to_keep, batch_size=batch_size, **kwargs
            )
        if batch_size is None or batch_size >= len(input_ids):
            return self._trimmed_pass(model, input_ids, attention_mask, logits_to_keep, **kwargs)
        logps_BT = torch.zeros(len(input_ids), logits_to_keep, device=input_ids.device)
        for rows in length_chunks(attention_mask.sum(1).tolist(), batch_size):
            logps, _, _ = self._trimmed_pass(model, input_ids[rows], attention_mask[rows], logits_to_keep, **kwargs)
            logps_BT = logps_BT.to(logps.dtype)
            logps_BT[rows] = logps
        return logps_BT, None, None

    def _trimmed_pass(
        self, model: Any, input_ids: torch.Tensor, attention_mask: torch.Tensor, logits_to_keep: int, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
        used = used_columns(attention_mask, logits_to_keep, trimmable_sides(self.accelerator.unwrap_model(model)))
        with completions_only():
            logps, entropies, aux_loss = super()._get_per_token_logps_and_entropies(
                model, used.cut(input_ids), used.cut(attention_mask), used.logits_to_keep, **kwargs
            )
        return used.restore(logps), None if entropies is None else used.restore(entropies), aux_loss

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        buffered = self._buffered_inputs
        inputs = super()._prepare_inputs(generation_batch)
        if self.model.training and self._buffered_inputs is not None and self._buffered_inputs is not buffered:
            self._buffered_inputs = self._arrange(self._buffered_inputs)
            inputs = self._buffered_inputs[self._step % self.args.steps_per_generation]
        return inputs

    def _arrange(self, micro_batches: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rearrange a fresh generation batch, cut into micro-batches, before its first use."""
        window = self._micro_batches_in_a_step(len(micro_batches))
        if window is None or len(micro_batches) == 1 or self._depends_on_company(micro_batches[0]):
            return micro_batches
        rows = len(micro_batches[0]["completion_ids"])
        lengths = torch.cat([batch["prompt_mask"].sum(1) + batch["completion_mask"].sum(1) for batch in micro_batches])
        order = torch.tensor(order_by_length(lengths.tolist(), window * rows), device=lengths.device)
        columns = {
            name: torch.split(torch.cat([batch[name] for batch in micro_batches])[order], rows)
            for name, value in micro_batches[0].items()
            if value is not None and value.ndim > 0
        }
        return [batch | {name: parts[i] for name, parts in columns.items()} for i, batch in enumerate(micro_batches)]

    def _micro_batches_in_a_step(self, count: int) -> int | None:
        """How many consecutive ones of `count` fresh micro-batches one optimizer step adds up, None if they vary."""
        accumulation: int = self.args.gradient_accumulation_steps
        if self._step % accumulation == 0 and count % accumulation == 0:
            return accumulation
        return count if accumulation % count == 0 and self._step % count == 0 else None

    def _depends_on_company(self, batch: dict[str, Any]) -> bool:
        """Whether a row's part in the loss depends on the rows that share its micro-batch, or on images."""
        return (
            self.loss_type == "bnpo"
            or self._entropy_bonus_enabled
            or self.aux_loss_enabled
            or self.top_entropy_quantile < 1.0
            or any(value is not None and not isinstance(value, torch.Tensor) for value in batch.values())
            or "pixel_values" in batch
        )
