"""Less padding for the log-probability passes: columns that are empty in the rows at hand, and rows of like length.

Pure functions on tensors and lists. Rows are laid out as TRL does: prompts padded on the left, completions on the
right, `[prompt columns | completion columns]`, and no `position_ids` are passed, so that a token's position is its
column.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from gpocli.rollout.support import base_model, has_fixed_rope, rope_kinds


@dataclass(frozen=True, slots=True)
class Sides:
    """On which sides empty columns can go without a change of the log-probabilities beyond rounding."""

    left: bool
    right: bool


def trimmable_sides(model: nn.Module) -> Sides:
    """Both sides for positions that are relative; the right one for learned or otherwise absolute positions.

    Columns on the left move all positions by the same number. That is nothing to a rotary embedding, and everything to
    learned positions (GPT-2), to chunked attention (Llama 4) and to attention scaled by the position.
    """
    base: Any = base_model(model)
    if not has_fixed_rope(base):
        return Sides(left=False, right=False)
    config, kinds = base.config.get_text_config(), rope_kinds(base)
    is_absolute = (
        not kinds
        or any("llama_4_scaling_beta" in kind for kind in kinds)
        or bool(getattr(config, "attn_temperature_tuning", False))
        or "chunked_attention" in (getattr(config, "layer_types", None) or ())
        or getattr(config, "attention_chunk_size", None) is not None
    )
    return Sides(left=not is_absolute, right=True)


@dataclass(frozen=True, slots=True)
class UsedColumns:
    """The columns of a batch that hold a token in some row, and the completion columns among them."""

    start: int
    stop: int
    logits_to_keep: int
    dropped_right: int

    def cut(self, values_BT: Tensor) -> Tensor:
        """The used columns of a tensor with one column a token."""
        return values_BT[:, self.start : self.stop]

    def restore(self, values_BC: Tensor) -> Tensor:
        """Values of the used completion columns at the full width, with 0 where there is only padding (as TRL has)."""
        return nn.functional.pad(values_BC, (0, self.dropped_right))


def used_columns(attention_mask_BT: Tensor, logits_to_keep: int, sides: Sides) -> UsedColumns:
    """The columns to compute; `logits_to_keep` is the number of completion columns.

    At least one prompt column stays, from which the first completion token is predicted, and one completion column.
    """
    width = attention_mask_BT.shape[1]
    used = attention_mask_BT.any(0).nonzero().squeeze(1)
    if not len(used):
        return UsedColumns(0, width, logits_to_keep, 0)
    first, last = torch.stack([used[0], used[-1]]).tolist()
    left = min(first, width - logits_to_keep - 1) if sides.left else 0
    right = min(width - 1 - last, logits_to_keep - 1) if sides.right else 0
    return UsedColumns(max(left, 0), width - right, logits_to_keep - right, right)


def order_by_length(lengths: Sequence[int], window: int) -> list[int]:
    """A permutation that sorts the rows of each window by length, longest first, and moves none across windows.

    `window` is the number of rows that one optimizer step accumulates on this process. Cut into micro-batches in this
    order, rows share one with rows of like length; the largest micro-batch comes first, so that a shortage of memory
    shows in the first step. Equal lengths keep their order. The last window may be smaller.

    The sum over a window is the same in any order where each row weighs the same whatever its micro-batch: for all of
    TRL's losses but "bnpo", and without `top_entropy_quantile`, entropy bonus and the load-balancing loss, which are
    formed in each micro-batch.
    """
    order: list[int] = []
    for start in range(0, len(lengths), window):
        rows = range(start, min(start + window, len(lengths)))
        order.extend(sorted(rows, key=lambda row: -lengths[row]))
    return order


def length_chunks(lengths: Sequence[int], size: int) -> list[list[int]]:
    """All rows in chunks of at most `size` rows of like length, longest first: for passes without gradient."""
    order = order_by_length(lengths, max(len(lengths), 1))
    return [order[start : start + size] for start in range(0, len(order), size)]
