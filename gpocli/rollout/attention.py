"""Attention of decode steps on a CPU: one query a row, two batched matrix products."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from gpocli.rollout.support import base_model

_NAME = "gpo_decode"


def decode_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **kwargs: Any,
) -> tuple[Tensor, None]:
    """Transformers' SDPA attention for a single query token, with the same result beyond rounding.

    Shapes: query [rows, heads, 1, head size], key and value [rows, key-value heads, tokens, head size], a boolean mask
    [rows, 1, 1, tokens]; returns [rows, 1, heads, head size]. Torch's kernel takes a row and head at a time: with two
    threads it needs two to five times as long for the few queries that share a key-value head (benchmarks/notes.md).
    Anything but a single query in 32-bit floats goes to transformers.
    """
    if query.shape[2] != 1 or query.dtype != torch.float32 or dropout:
        return sdpa_attention_forward(  # type: ignore[no-any-return]
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **kwargs
        )
    rows, heads, _, size = query.shape
    key_value_heads = key.shape[1]
    # The query heads that share a key-value head are the rows of one matrix product.
    query = query.reshape(rows, key_value_heads, heads // key_value_heads, size)
    weights = torch.matmul(query, key.transpose(2, 3)).mul_(size**-0.5 if scaling is None else scaling)
    if attention_mask is not None:
        weights.masked_fill_(attention_mask.logical_not(), -torch.inf)
    mixed = torch.matmul(weights.softmax(-1), value)
    return mixed.view(rows, 1, heads, value.shape[-1]), None


AttentionInterface.register(_NAME, decode_attention)
AttentionMaskInterface.register(_NAME, sdpa_mask)


@contextmanager
def fast_decode_attention(model: nn.Module) -> Iterator[None]:
    """On a CPU, the model (see `attends_plainly`) attends by `decode_attention`."""
    config: Any = base_model(model).config
    if next(model.parameters()).device.type != "cpu":
        yield
        return
    before = config._attn_implementation
    config._attn_implementation = _NAME
    try:
        yield
    finally:
        config._attn_implementation = before
