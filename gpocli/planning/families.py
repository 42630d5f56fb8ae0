"""How the models of a type differ from a plain Llama: what a config.json leaves to the code of the model."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Family:
    """The models of a type."""

    attention: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj")
    """Linear layers of the attention: query, key and value apart or in one, then the one that leads out."""
    mlp: tuple[str, ...] = ("gate_proj", "up_proj", "down_proj")
    """Linear layers of the feed-forward part: gate and up apart or in one, then the one that leads out."""
    qkv_bias: bool = False
    qk_norm: Literal["head", "whole"] | None = None
    """Whether queries and keys are normalized, each head by itself or all as one."""
    norms: int = 2
    """Normalizations of the hidden state in a layer."""
    is_gpt2: bool = False
    """Learned positions, a bias in every layer and normalization, and no gate."""
    adapts_experts: bool = False
    """Whether PEFT puts `all-linear` adapters on the experts and their router too."""
    tied: bool = False
    head_dim: int | None = None
    window: int | None = None
    full_every: int | None = None
    """Each such layer looks back without a window, where the config has no `layer_types`."""


FAMILIES = {
    "llama": Family(),
    "mistral": Family(window=4096),
    "mixtral": Family(adapts_experts=True),
    "phi3": Family(attention=("qkv_proj", "o_proj"), mlp=("gate_up_proj", "down_proj")),
    "qwen2": Family(qkv_bias=True),
    "qwen2_moe": Family(qkv_bias=True),
    "qwen3": Family(qk_norm="head", head_dim=128),
    "qwen3_moe": Family(qk_norm="head", adapts_experts=True),
    "gemma": Family(tied=True, head_dim=256),
    "gemma2": Family(norms=4, tied=True, head_dim=256, window=4096, full_every=2),
    "gemma3_text": Family(qk_norm="head", norms=4, tied=True, head_dim=256, window=4096, full_every=6),
    "smollm3": Family(tied=True),
    "olmo2": Family(qk_norm="whole"),
    "gpt2": Family(attention=("c_attn", "c_proj"), mlp=("c_fc", "c_proj"), is_gpt2=True, tied=True),
}
"""Those whose parameters are counted exactly from their config, and whose cache is known."""
