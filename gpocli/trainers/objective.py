"""The loss of an algorithm: TRL's, over the rows that are there.

A filter that keeps fewer than k of some groups fills these up with *surplus* rows, since the batches of TRL are
rectangular. Their tokens are masked, so that they add nothing to a sum. Nor may a mean divide by them:

| loss | is a mean over | with surplus rows |
| --- | --- | --- |
| `grpo`, `dr_grpo`, `luspo`, `sapo` | the rows of an optimizer step | those that are live |
| `bnpo`, entropy bonus, load balancing | the micro-batches of an optimizer step | those with a live row |
| `dapo`, `cispo`, `vespo` | the tokens of a generation batch, shared out evenly to its updates | the same |

Rows and micro-batches are counted over all processes. Where optimizer steps cut across generation batches, each of
these weighs the same, as with TRL's divisor of tokens.

Two things stay as they are in TRL. A live row without a valid token (`mask_truncated_completions`) counts as one of
loss 0 where rows are counted, for k = G is GRPO. The load-balancing loss of experts sees the prompts of masked rows
that share a micro-batch with live ones.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from gpocli.trainers.passes import window_of

Inputs = dict[str, Any]
"""A micro-batch as TRL makes it: `completion_ids`, `completion_mask` [B, T], `advantages` [B], ..."""

SURPLUS = "surplus"
"""In a micro-batch: which rows only fill up a group, [B]. It is there where a filter may keep fewer than k."""
SKIPPED = "skipped"
"""In a micro-batch: which rows are in no term of the loss, [B]; those that are not surplus count in what it divides by.
It is there where flat groups are not trained on."""
ROW_WEIGHT = "row_weight"
"""In a micro-batch: turns a mean over its rows into its part of the mean over the rows that count."""
SHARE = "live_share"
"""In a micro-batch of a training step: the share of the micro-batches of the step that have a live row."""
IS_LIVE = "is_live"
"""In a micro-batch: whether it has a live row itself."""

OVER_ROWS = frozenset(("dr_grpo", "grpo", "luspo", "sapo"))
"""TRL's losses that are a mean over rows."""


class Objective:
    """What a trainer asks around the parent's loss; an algorithm with mathematics of its own overrides it."""

    def arranged(self, trainer: Any, micro_batches: list[Inputs]) -> list[Inputs]:
        """Note in each micro-batch of a fresh generation batch what its rows weigh in its optimizer step."""
        return weighed(trainer, micro_batches, live_rows) if SURPLUS in micro_batches[0] else micro_batches

    def seen(self, passed: tuple[Any, ...]) -> tuple[Any, ...]:
        """Look at the log-probabilities, entropies and auxiliary loss of a pass before the parent uses them."""
        return passed

    def has_row_ratios(self, trainer: Any) -> bool:
        """Whether a row has one ratio, so that rows are clipped and not tokens."""
        return bool(trainer.importance_sampling_level == "sequence")

    def loss(self, trainer: Any, parent: Callable[[Inputs], torch.Tensor], inputs: Inputs) -> torch.Tensor:
        """The loss of a micro-batch; `parent` is the parent's own."""
        if ROW_WEIGHT not in inputs:
            return parent(inputs)
        weight = inputs[ROW_WEIGHT] if trainer.loss_type in OVER_ROWS else 1.0
        given, values = inputs | {"advantages": inputs["advantages"] * weight}, {"beta": trainer.beta * weight}
        share = inputs.get(SHARE)
        if share is not None:
            values["current_gradient_accumulation_steps"] = trainer.current_gradient_accumulation_steps * share
            given["num_items_in_batch"] = inputs["num_items_in_batch"] / share  # which TRL multiplies by the above
        with changed(trainer, **values):
            loss = parent(given)
        return loss if inputs.get(IS_LIVE, True) else 0.0 * loss


def loss_mask(inputs: Mapping[str, Any]) -> torch.Tensor:
    """Which tokens are in the loss, [B, T]: those of tools are not."""
    mask: torch.Tensor = inputs["completion_mask"]
    return mask * inputs["tool_mask"] if "tool_mask" in inputs else mask


def live_rows(inputs: Inputs) -> torch.Tensor:
    """Which rows do not only fill up a group, [B]."""
    surplus_B: torch.Tensor | None = inputs.get(SURPLUS)
    return torch.ones(len(inputs["advantages"]), dtype=torch.bool) if surplus_B is None else ~surplus_B


def weighed(trainer: Any, micro_batches: list[Inputs], counted: Callable[[Inputs], torch.Tensor]) -> list[Inputs]:
    """Micro-batches with what they weigh in their optimizer step; `counted` tells which rows a mean goes over, [B]."""
    is_live = [bool(live_rows(batch).any()) for batch in micro_batches]
    local = [[float(counted(batch).sum()), float(live)] for batch, live in zip(micro_batches, is_live, strict=True)]
    totals = trainer.accelerator.reduce(torch.tensor(local, device=trainer.accelerator.device), reduction="sum")
    count, size = len(micro_batches), len(micro_batches[0]["advantages"])
    window = window_of(count, trainer.args.gradient_accumulation_steps, trainer._step) or count
    noted = []
    for i, batch in enumerate(micro_batches):
        rows, batches = totals[i - i % window :][:window].sum(0).clamp(min=1).tolist()
        weight, share = size * batches / rows, batches / (window * trainer.accelerator.num_processes)
        noted.append(batch | {ROW_WEIGHT: weight, SHARE: share, IS_LIVE: is_live[i]})
    return noted


@contextmanager
def changed(trainer: Any, **values: Any) -> Iterator[None]:
    """The trainer with other values of its attributes, for the time being."""
    before = {name: getattr(trainer, name) for name in values}
    vars(trainer).update(values)
    try:
        yield
    finally:
        vars(trainer).update(before)
