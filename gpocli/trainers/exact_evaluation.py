"""Evaluation figures that count each row once."""

import math
from collections.abc import Sized
from typing import Any

import torch
from trl import GRPOTrainer


class ExactEvaluation(GRPOTrainer):  # type: ignore[misc]
    """`GRPOTrainer` whose evaluation means go over rows.

    The parent averages over batches, so that a short last batch weighs too much, and with several processes counts the
    rows that only fill up the last batch. Mended are the rewards, their sum and the mean length.
    """

    _rows_left: float = math.inf
    _reward_rows: list[torch.Tensor] | None = None
    _lengths: list[torch.Tensor] | None = None

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        dataset = self.eval_dataset if eval_dataset is None else eval_dataset
        dataset = self.eval_dataset[dataset] if isinstance(dataset, str) else dataset
        self._rows_left = len(dataset) * self.num_generations_eval if isinstance(dataset, Sized) else math.inf
        self._reward_rows, self._lengths = [], []
        return super().get_eval_dataloader(eval_dataset)

    def _calculate_rewards(self, inputs: Any, prompts: Any, completions: Any, completion_ids: Any) -> torch.Tensor:
        scored_BF: torch.Tensor = super()._calculate_rewards(inputs, prompts, completions, completion_ids)
        if not self.model.training and self._reward_rows is not None and self._lengths is not None:
            lengths = torch.tensor([len(ids) for ids in completion_ids], device=self.accelerator.device)
            # Rows that fill up the last batch come last, over all processes.
            real = int(min(len(scored_BF), self._rows_left))
            self._rows_left -= real
            self._reward_rows.append(scored_BF[:real])
            self._lengths.append(self.accelerator.gather(lengths)[:real])
        return scored_BF

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        if not self.model.training and self._reward_rows and self._lengths:
            self._write_exact_means(torch.cat(self._reward_rows), torch.cat(self._lengths))
            self._reward_rows = self._lengths = None
        super().log(logs, start_time)

    def _write_exact_means(self, scored_BF: torch.Tensor, lengths_B: torch.Tensor) -> None:
        metrics = self._metrics["eval"]
        totals_B = (scored_BF * self.reward_weights.to(scored_BF.device)).nansum(1)
        totals_B[scored_BF.isnan().all(1)] = torch.nan
        metrics["reward"] = [totals_B.nanmean().item()]
        for name, rewards_B in zip(self.reward_func_names, scored_BF.unbind(1), strict=True):
            metrics[f"rewards/{name}/mean"] = [rewards_B.nanmean().item()]
        metrics["completions/mean_length"] = [lengths_B.float().mean().item()]
