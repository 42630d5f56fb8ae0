"""Less padding for the log-probability passes: columns that are empty in the rows at hand, and rows of like length.

Pure functions on tensors and lists. Rows are laid out as TRL does: prompts padded on the left, completions on the
right, `[prompt columns | completion columns]`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from gpocli.rollout.support import base_model, has_fixed_rope, needs_positions, sees_distances_alone


@dataclass(frozen=True, slots=True)
class Sides:
    """On which sides empty columns can go without a change of the log-probabilities beyond rounding."""

    left: bool
    right: bool


def trimmable_sides(model: nn.Module) -> Sides:
    """Both sides for passes that are told the positions of the tokens where that matters (`needs_positions`).

    Columns on the left move all tokens by the same number: nothing to a rotary embedding, everything to models that
    take the column for the position, and to attention in chunks (Llama 4). Where frequencies follow the length of the
    sequence and no positions can be given, columns on the right count, too.
    """
    base: Any = base_model(model)
    config, are_given = base.config.get_text_config(), needs_positions(model)
    is_chunked = (
        "chunked_attention" in (getattr(config, "layer_types", None) or ())
        or getattr(config, "attention_chunk_size", None) is not None
    )
    return Sides(
        left=(are_given or sees_distances_alone(model)) and not is_chunked, right=are_given or has_fixed_rope(base)
    )


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
