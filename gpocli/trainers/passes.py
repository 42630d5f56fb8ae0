"""Log-probability passes without empty columns, and micro-batches of like length. The numbers stay the same."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import trl.trainer.utils

from gpocli.rollout.trim import Sides, length_chunks, order_by_length, used_columns

Passed = tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]
"""Log-probabilities and entropies [B, T], and the load-balancing loss."""


def is_text_alone(kwargs: dict[str, Any]) -> bool:
    """Whether a pass has no images and the like."""
    about_the_pass = ("batch_size", "compute_entropy", "compute_aux_loss")
    return all(value is None for name, value in kwargs.items() if name not in about_the_pass)


def with_positions(model: Any) -> Callable[..., Any]:
    """The model, told in each call the position of every token in its row, as `generate` tells it.

    TRL's passes tell none, so that a model with learned positions takes the padding before a prompt for tokens.
    """

    def positioned(**inputs: Any) -> Any:
        position_BT = inputs["attention_mask"].cumsum(1) - 1
        return model(position_ids=position_BT.clamp(min=0), **inputs)

    return positioned


def trimmed_pass(
    parent: Callable[..., Passed],
    sides: Sides,
    model: Any,
    input_ids: torch.Tensor,
    attention_mask: torch.Tensor,
    logits_to_keep: int,
    batch_size: int | None = None,
    **kwargs: Any,
) -> Passed:
    """The parent's pass over the columns that hold a token in some row, in chunks of rows of like length."""

    def one(rows: Any) -> Passed:
        used = used_columns(attention_mask[rows], logits_to_keep, sides)
        with completions_only():
            logps, entropies, aux_loss = parent(
                model, used.cut(input_ids[rows]), used.cut(attention_mask[rows]), used.logits_to_keep, **kwargs
            )
        return used.restore(logps), None if entropies is None else used.restore(entropies), aux_loss

    if batch_size is None or batch_size >= len(input_ids):
        return one(slice(None))
    chunks = length_chunks(attention_mask.sum(1).tolist(), batch_size)
    logps_BT = torch.cat([one(rows)[0] for rows in chunks])
    order_B = torch.tensor([row for rows in chunks for row in rows], device=logps_BT.device)
    return logps_BT[order_B.argsort()], None, None


@contextmanager
def completions_only() -> Iterator[None]:
    """Let TRL's fused LM head project the scored positions alone on a CPU, as it does on a GPU.

    Where there is no Triton, TRL projects every position, so that shapes stay the same for compilers that need it. On a
    CPU that only costs time (measured: a fifth of a pass at 54M parameters and 8k words, two thirds at 100k words); the
    log-probabilities are the same. TRL releases without the switch need nothing.
    """
    switch = getattr(trl.trainer.utils, "_use_triton", None)
    if switch is None:
        yield
        return
    trl.trainer.utils._use_triton = lambda device: device.type == "cpu" or switch(device)
    try:
        yield
    finally:
        trl.trainer.utils._use_triton = switch


def ordered_by_length(
    micro_batches: list[dict[str, Any]],
    window: int,
    has_cost: Callable[[dict[str, Any]], torch.Tensor] | None = None,
) -> list[dict[str, Any]]:
    """Micro-batches whose rows share one with rows of like length; none leaves its window of `window` micro-batches.

    `has_cost` tells which rows of a micro-batch will be in its pass, [B]; the others come last.
    """
    rows = len(micro_batches[0]["completion_ids"])
    lengths = torch.cat([batch["prompt_mask"].sum(1) + batch["completion_mask"].sum(1) for batch in micro_batches])
    if has_cost is not None:
        lengths = lengths * torch.cat([has_cost(batch) for batch in micro_batches])
    order = torch.tensor(order_by_length(lengths.tolist(), window * rows), device=lengths.device)
    columns = {
        name: torch.split(torch.cat([batch[name] for batch in micro_batches])[order], rows)
        for name, value in micro_batches[0].items()
        if value is not None and value.ndim > 0
    }
    return [batch | {name: parts[i] for name, parts in columns.items()} for i, batch in enumerate(micro_batches)]


def window_of(count: int, accumulation: int, step: int) -> int | None:
    """How many consecutive ones of `count` fresh micro-batches one optimizer step adds up, None if they vary.

    `step` is the number of the first of them in the run.
    """
    if step % accumulation == 0 and count % accumulation == 0:
        return accumulation
    return count if accumulation % count == 0 and step % count == 0 else None


def depends_on_company(trainer: Any, batch: dict[str, Any]) -> bool:
    """Whether a row's part in the loss depends on the rows that share its micro-batch, or on images."""
    return bool(
        trainer.loss_type == "bnpo"
        or trainer._entropy_bonus_enabled
        or trainer.aux_loss_enabled
        or trainer.top_entropy_quantile < 1.0
        or any(value is not None and not isinstance(value, torch.Tensor) for value in batch.values())
        or "pixel_values" in batch
    )
