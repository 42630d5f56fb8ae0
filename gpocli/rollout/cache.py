"""A key-value cache that grows without copying and from which rows leave without copying the others."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedConfig
from transformers.cache_utils import DynamicLayer


class SpareLayer(DynamicLayer):  # type: ignore[misc]
    """Full attention, stored in buffers with spare columns; `keys` and `values` are views of the used part.

    Transformers' layer concatenates, that is, it copies all it holds for every token. Here a token is written into
    the spare columns, and a row that leaves is filled with the last row. Shapes [rows, heads, tokens, head size].
    """

    def __init__(self) -> None:
        super().__init__()
        self._buffers: tuple[Tensor, Tensor] | None = None

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Appends the states of new tokens and returns all of them."""
        if not self.is_initialized:
            # The first call is the prefill, of which nothing is kept as it is: each row is repeated.
            self.lazy_initialization(key_states, value_states)
            self.keys, self.values = key_states, value_states
            return key_states, value_states
        rows, _, used, _ = self.keys.shape
        total = used + key_states.shape[2]
        if self._buffers is None or self._buffers[0].shape[2] < total:
            self._grow(total)
        assert self._buffers is not None
        key_buffer, value_buffer = self._buffers
        key_buffer[:rows, :, used:total] = key_states
        value_buffer[:rows, :, used:total] = value_states
        self.keys, self.values = key_buffer[:rows, :, :total], value_buffer[:rows, :, :total]
        return self.keys, self.values

    def _grow(self, total: int) -> None:
        # A quarter of spare columns: few copies, little waste. Rows that left are not taken along.
        columns = total + max(32, total // 4)
        self._buffers = (_with_columns(self.keys, columns), _with_columns(self.values, columns))

    def batch_select_indices(self, indices: Tensor) -> None:
        """Takes the rows at `indices`, in that order; rows may be named repeatedly."""
        self._buffers = None
        super().batch_select_indices(indices)

    def move_rows(self, targets: Tensor, sources: Tensor, rows: int) -> None:
        """Copies rows `sources` over rows `targets`, then keeps the first `rows`. No target is also a source."""
        if not self.is_initialized:
            return  # a layer that shares the states of another one
        for states in (self.keys, self.values):
            if len(targets):
                states[targets] = states[sources]
        self.keys, self.values = self.keys[:rows], self.values[:rows]


def _with_columns(states: Tensor, columns: int) -> Tensor:
    rows, heads, used, size = states.shape
    buffer = states.new_empty((rows, heads, columns, size))
    buffer[:, :, :used] = states
    return buffer


def rollout_cache(config: PreTrainedConfig) -> DynamicCache:
    """Transformers' `DynamicCache` for the model, its full-attention layers replaced by `SpareLayer`."""
    cache = DynamicCache(config=config)
    cache.layers = [SpareLayer() if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache


def keep_rows(cache: DynamicCache, order: Sequence[int], order_R: Tensor) -> None:
    """Keeps the rows at the positions `order`: rows in front stay where they are, holes are filled from behind.

    So the cost grows with the rows that leave, not with those that stay.
    """
    moved = [(target, source) for target, source in enumerate(order) if target != source]
    targets = torch.tensor([target for target, _ in moved], dtype=torch.long, device=order_R.device)
    sources = torch.tensor([source for _, source in moved], dtype=torch.long, device=order_R.device)
    for layer in cache.layers:
        if isinstance(layer, SpareLayer):
            layer.move_rows(targets, sources, len(order))
        else:
            layer.batch_select_indices(order_R)
