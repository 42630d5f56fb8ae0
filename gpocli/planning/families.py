"""How the models of a type differ from a plain Llama: what a config.json leaves to the code of the model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Family:
    """The models of a type. A bias is there always, never, or as a key of the config says."""

    attention: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj")
    """Linear layers of the attention: query, key and value apart or in one, then the one that leads out."""
    mlp: tuple[str, ...] = ("gate_proj", "up_proj", "down_proj")
    """Linear layers of the feed-forward part: gate and up apart or in one, then the one that leads out."""
    gated: bool = True
    qkv_bias: bool | str = "attention_bias"
    out_bias: bool | str = "attention_bias"
    mlp_bias: bool | str = "mlp_bias"
    qk_norm: Literal["none", "head", "whole"] = "none"
    norms: int = 2
    """Normalizations of the hidden state in a layer."""
    norm_bias: bool = False
    learned_positions: bool = False
    adapts_experts: bool = False
    """Whether PEFT puts `all-linear` adapters on the experts and their router too."""
    tied: bool = False
    head_dim: int | None = None
    window: int | None = None
    is_sliding: Callable[[int, Config], bool] = lambda layer, config: True
    """Whether a layer is one with a window, where the config has no `layer_types`."""


def _after_full_layers(layer: int, config: Config) -> bool:
    return layer >= int(config.get("max_window_layers", 28))


def _even(layer: int, config: Config) -> bool:
    return layer % 2 == 0


def _even_before_full_layers(layer: int, config: Config) -> bool:
    return _even(layer, config) and not _after_full_layers(layer, config)


def _all_but_each_sixth(layer: int, config: Config) -> bool:
    return bool((layer + 1) % int(config.get("sliding_window_pattern") or config.get("_sliding_window_pattern") or 6))


def _each_without_rotation(layer: int, config: Config) -> bool:
    return (layer + 1) % int(config.get("no_rope_layer_interval", 4)) == 0


FAMILIES = {
    "llama": Family(),
    "mistral": Family(window=4096),
    "mixtral": Family(adapts_experts=True),
    "phi3": Family(attention=("qkv_proj", "o_proj"), mlp=("gate_up_proj", "down_proj")),
    "qwen2": Family(qkv_bias=True, out_bias=False, is_sliding=_after_full_layers),
    "qwen2_moe": Family(qkv_bias="qkv_bias", out_bias=False, is_sliding=_even_before_full_layers),
    "qwen3": Family(qk_norm="head", head_dim=128, is_sliding=_after_full_layers),
    "qwen3_moe": Family(qk_norm="head", adapts_experts=True),
    "gemma": Family(tied=True, head_dim=256),
    "gemma2": Family(norms=4, tied=True, head_dim=256, window=4096, is_sliding=_even),
    "gemma3_text": Family(
        qk_norm="head", norms=4, tied=True, head_dim=256, window=4096, is_sliding=_all_but_each_sixth
    ),
    "smollm3": Family(tied=True, is_sliding=_each_without_rotation),
    "olmo2": Family(qk_norm="whole"),
    "gpt2": Family(
        attention=("c_attn", "c_proj"),
        mlp=("c_fc", "c_proj"),
        gated=False,
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        norm_bias=True,
        learned_positions=True,
        tied=True,
    ),
}
"""Those whose parameters are counted exactly from their config, and whose cache is known."""
