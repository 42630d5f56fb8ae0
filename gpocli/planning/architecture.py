"""The parameters and the cache of a model, worked out from its config.json alone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Weight:
    """A parameter tensor that is there `count` times. `name` is the last part of its module's name."""

    name: str
    shape: tuple[int, ...]
    count: int = 1
    linear: bool = False
    """Weight of a linear layer: what adapters are put on, and what quantization packs."""
    adapter_ranks: int = 0
    """For a weight of experts or of their router: times the rank that PEFT gives it under `all-linear`."""

    @property
    def numel(self) -> int:
        """Elements in all `count` of them."""
        return prod(self.shape) * self.count


@dataclass(frozen=True, slots=True)
class Architecture:
    """A decoder model in numbers."""

    model_type: str
    known: bool
    """Whether `model_type` is one whose parameters are counted exactly; others are counted like a Llama."""
    weights: tuple[Weight, ...]
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    active_mlp: int
    """Width of the feed-forward part that a token passes through, all active experts together."""
    gated: bool
    """Whether the feed-forward part is gated: three matrices rather than two."""
    norms: int
    """Normalizations of the hidden state in a layer."""
    qk_norm: bool
    """Whether queries and keys are normalized."""
    vocabulary: int
    windows: tuple[int | None, ...]
    """Of each layer: how many tokens it looks back; None: all."""
    context: int | None
    dtype: str | None
    """Type of the stored weights."""

    @property
    def parameters(self) -> int:
        """Parameters of the model; tied embeddings count once."""
        return sum(weight.numel for weight in self.weights)

    def cache_elements(self, rows: int, tokens: int) -> int:
        """Elements of the keys and values that `rows` sequences of `tokens` tokens leave in the cache."""
        columns = sum(tokens if window is None else min(tokens, window - 1) for window in self.windows)
        return 2 * rows * self.kv_heads * self.head_dim * columns

    def adapter_weights(self, rank: int, target_modules: list[str] | Literal["all-linear"]) -> tuple[Weight, ...]:
        """The matrices of a low-rank adapter on `target_modules`; `all-linear` leaves the output layer out."""
        found = []
        for weight in self.weights:
            times = self._adapter_ranks(weight, target_modules)
            if times:
                width = rank * times * prod(weight.shape[:-2])
                found.append(Weight("lora_A", (width, weight.shape[-1]), weight.count))
                found.append(Weight("lora_B", (weight.shape[-2], width), weight.count))
        return tuple(found)

    @staticmethod
    def _adapter_ranks(weight: Weight, target_modules: list[str] | Literal["all-linear"]) -> int:
        if target_modules == "all-linear":
            return 1 if weight.linear and weight.name != "lm_head" else weight.adapter_ranks
        return int(weight.linear and weight.name in {name.rpartition(".")[2] for name in target_modules})


class UnknownModel(Exception):
    """A config that does not describe a decoder model; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class _Family:
    """How the models of a type differ from a plain Llama, and the defaults of what their config may leave out."""

    qkv_bias: bool | str = False
    """A bias in the query, key and value layers: always, never, or as a key of the config says."""
    out_bias: bool | str = False
    mlp_bias: bool | str = False
    qk_norm: Literal["none", "head", "whole"] = "none"
    norms: int = 2
    fused: bool = False
    """One layer for query, key and value, and one for gate and up."""
    adapts_experts: bool = False
    """Whether PEFT puts `all-linear` adapters on the experts and their router too."""
    tied: bool = False
    head_dim: int | None = None
    window: int | None = None
    window_needs_switch: bool = False
    """Whether `sliding_window` counts only where `use_sliding_window` is true."""
    is_sliding: Callable[[int, Config], bool] = lambda layer, config: True
    """Whether a layer is one with a window, where the config has no `layer_types`."""


def _after_full_layers(layer: int, config: Config) -> bool:
    return layer >= int(config.get("max_window_layers", 28))


def _even(layer: int, config: Config) -> bool:
    return layer % 2 == 0


def _even_before_full_layers(layer: int, config: Config) -> bool:
    return layer % 2 == 0 and layer < int(config.get("max_window_layers", 28))


def _all_but_each_sixth(layer: int, config: Config) -> bool:
    return bool((layer + 1) % int(config.get("sliding_window_pattern") or config.get("_sliding_window_pattern") or 6))


def _each_without_rotation(layer: int, config: Config) -> bool:
    return (layer + 1) % int(config.get("no_rope_layer_interval", 4)) == 0


_ATTENTION_BIAS = "attention_bias"
_FAMILIES: dict[str, _Family] = {
    "llama": _Family(_ATTENTION_BIAS, _ATTENTION_BIAS, "mlp_bias"),
    "mistral": _Family(window=4096),
    "mixtral": _Family(adapts_experts=True),
    "phi3": _Family(fused=True),
    "qwen2": _Family(qkv_bias=True, window=4096, window_needs_switch=True, is_sliding=_after_full_layers),
    "qwen2_moe": _Family("qkv_bias", window=4096, window_needs_switch=True, is_sliding=_even_before_full_layers),
    "qwen3": _Family(
        _ATTENTION_BIAS,
        _ATTENTION_BIAS,
        qk_norm="head",
        head_dim=128,
        window=4096,
        window_needs_switch=True,
        is_sliding=_after_full_layers,
    ),
    "qwen3_moe": _Family(
        _ATTENTION_BIAS,
        _ATTENTION_BIAS,
        qk_norm="head",
        adapts_experts=True,
        window=4096,
        window_needs_switch=True,
    ),
    "gemma": _Family(_ATTENTION_BIAS, _ATTENTION_BIAS, tied=True, head_dim=256),
    "gemma2": _Family(
        _ATTENTION_BIAS, _ATTENTION_BIAS, norms=4, tied=True, head_dim=256, window=4096, is_sliding=_even
    ),
    "gemma3_text": _Family(
        _ATTENTION_BIAS,
        _ATTENTION_BIAS,
        qk_norm="head",
        norms=4,
        tied=True,
        head_dim=256,
        window=4096,
        is_sliding=_all_but_each_sixth,
    ),
    "smollm3": _Family(
        _ATTENTION_BIAS,
        _ATTENTION_BIAS,
        "mlp_bias",
        tied=True,
        window_needs_switch=True,
        is_sliding=_each_without_rotation,
    ),
    "olmo2": _Family(_ATTENTION_BIAS, _ATTENTION_BIAS, qk_norm="whole"),
}
_BIASED_BY_DEFAULT = {"qkv_bias"}
_FULL_ATTENTION = "full_attention"
_SLIDING_ATTENTION = "sliding_attention"


def read_architecture(config: Config) -> Architecture:
    """The model that a parsed config.json describes; of one that also sees images, its language part.

    Raises `UnknownModel`.
    """
    text = config.get("text_config")
    inner: Config = {**config, **text} if isinstance(text, Mapping) else config
    try:
        if inner.get("model_type") == "gpt2":
            return _gpt2(inner)
        return _llama_like(inner)
    except KeyError as error:
        raise UnknownModel(f"its config.json has no {error.args[0]}") from error
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise UnknownModel(f"its config.json has a size that is no number ({error})") from error


def _llama_like(config: Config) -> Architecture:
    model_type = str(config.get("model_type", "unknown"))
    family = _FAMILIES.get(model_type, _FAMILIES["llama"])
    hidden, layers, vocabulary = (int(config[key]) for key in ("hidden_size", "num_hidden_layers", "vocab_size"))
    heads = int(config["num_attention_heads"])
    kv_heads = int(config.get("num_key_value_heads") or heads)
    head_dim = int(config.get("head_dim") or family.head_dim or hidden // heads)
    windows, all_known = _windows(config, family, layers)
    weights = [Weight("embed_tokens", (vocabulary, hidden))]
    if not config.get("tie_word_embeddings", family.tied):
        weights.append(Weight("lm_head", (vocabulary, hidden), linear=True))
    weights += _attention(config, family, layers, hidden, heads * head_dim, kv_heads * head_dim, head_dim)
    mlp_weights, active = _mlp(config, family, layers, hidden)
    weights += mlp_weights
    weights.append(Weight("norm", (hidden,), family.norms * layers + 1))
    return Architecture(
        model_type=model_type,
        known=model_type in _FAMILIES and all_known,
        weights=tuple(weights),
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        active_mlp=active,
        gated=True,
        norms=family.norms,
        qk_norm=family.qk_norm != "none",
        vocabulary=vocabulary,
        windows=windows,
        context=_optional_int(config.get("max_position_embeddings")),
        dtype=_dtype(config),
    )


def _attention(
    config: Config, family: _Family, layers: int, hidden: int, query: int, key: int, head_dim: int
) -> list[Weight]:
    if family.fused:
        weights = _linear("qkv_proj", hidden, query + 2 * key, layers)
    else:
        biased = _flag(config, family.qkv_bias)
        weights = [
            *_linear("q_proj", hidden, query, layers, biased),
            *_linear("k_proj", hidden, key, layers, biased),
            *_linear("v_proj", hidden, key, layers, biased),
        ]
    weights += _linear("o_proj", query, hidden, layers, _flag(config, family.out_bias))
    if family.qk_norm != "none":
        sizes = (head_dim, head_dim) if family.qk_norm == "head" else (query, key)
        weights += [Weight(name, (size,), layers) for name, size in zip(("q_norm", "k_norm"), sizes, strict=True)]
    return weights


def _mlp(config: Config, family: _Family, layers: int, hidden: int) -> tuple[list[Weight], int]:
    """The feed-forward weights of all layers, and the width that a token passes through in a layer that has most."""
    width = int(config["intermediate_size"])
    experts = int(config.get("num_local_experts") or config.get("num_experts") or 0)
    if not experts:
        return _gated(family, layers, hidden, width, _flag(config, family.mlp_bias)), width
    dense = set(config.get("mlp_only_layers") or ())
    step = int(config.get("decoder_sparse_step", 1))
    sparse = sum((layer + 1) % step == 0 and layer not in dense for layer in range(layers))
    expert_width = int(config.get("moe_intermediate_size") or width)
    weights = [
        *_gated(family, layers - sparse, hidden, width, False),
        Weight("gate", (experts, hidden), sparse, adapter_ranks=int(family.adapts_experts)),
        # gate and up are one tensor, and PEFT gives each its rank
        Weight("experts", (experts, 2 * expert_width, hidden), sparse, adapter_ranks=2 * family.adapts_experts),
        Weight("experts", (experts, hidden, expert_width), sparse, adapter_ranks=int(family.adapts_experts)),
    ]
    active = expert_width * int(config.get("num_experts_per_tok", 1))
    shared = int(config.get("shared_expert_intermediate_size") or 0)
    if shared:
        weights += _gated(family, sparse, hidden, shared, False)
        weights.append(Weight("shared_expert_gate", (1, hidden), sparse, linear=True))
    return [weight for weight in weights if weight.count], active + shared


def _gated(family: _Family, layers: int, hidden: int, width: int, biased: bool) -> list[Weight]:
    down = _linear("down_proj", width, hidden, layers, biased)
    if family.fused:
        return [*_linear("gate_up_proj", hidden, 2 * width, layers), *down]
    return [
        *_linear("gate_proj", hidden, width, layers, biased),
        *_linear("up_proj", hidden, width, layers, biased),
        *down,
    ]


def _linear(name: str, inputs: int, outputs: int, count: int, biased: bool = False) -> list[Weight]:
    weight = Weight(name, (outputs, inputs), count, linear=True)
    return [weight, Weight(name, (outputs,), count)] if biased else [weight]


def _gpt2(config: Config) -> Architecture:
    hidden, layers, heads = (int(config.get(key, default)) for key, default in _GPT2_SIZES.items())
    vocabulary, context = int(config["vocab_size"]), int(config.get("n_positions", 1024))
    width = int(config.get("n_inner") or 4 * hidden)
    weights = [Weight("wte", (vocabulary, hidden)), Weight("wpe", (context, hidden))]
    if not config.get("tie_word_embeddings", True):
        weights.append(Weight("lm_head", (vocabulary, hidden), linear=True))
    weights += [
        *_linear("c_attn", hidden, 3 * hidden, layers, True),
        *_linear("c_proj", hidden, hidden, layers, True),
        *_linear("c_fc", hidden, width, layers, True),
        *_linear("c_proj", width, hidden, layers, True),
        Weight("ln", (hidden,), 2 * (2 * layers + 1)),
    ]
    return Architecture(
        model_type="gpt2",
        known=True,
        weights=tuple(weights),
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads,
        active_mlp=width,
        gated=False,
        norms=2,
        qk_norm=False,
        vocabulary=vocabulary,
        windows=(None,) * layers,
        context=context,
        dtype=_dtype(config),
    )


_GPT2_SIZES = {"n_embd": 768, "n_layer": 12, "n_head": 12}


def _windows(config: Config, family: _Family, layers: int) -> tuple[tuple[int | None, ...], bool]:
    """The window of each layer, and whether all layers are of a kind that is known here."""
    size = _optional_int(config.get("sliding_window", family.window))
    if family.window_needs_switch and not config.get("use_sliding_window", False):
        size = None
    types = config.get("layer_types")
    if types is not None:
        found = tuple(size if kind == _SLIDING_ATTENTION else None for kind in types)
        return found, len(found) == layers and all(kind in (_FULL_ATTENTION, _SLIDING_ATTENTION) for kind in types)
    return tuple(size if family.is_sliding(layer, config) else None for layer in range(layers)), True


def _flag(config: Config, flag: bool | str) -> bool:
    return bool(config.get(flag, flag in _BIASED_BY_DEFAULT)) if isinstance(flag, str) else flag


def _optional_int(value: Any) -> int | None:
    return None if value is None else int(value)


def _dtype(config: Config) -> str | None:
    dtype = config.get("dtype", config.get("torch_dtype"))
    return dtype.removeprefix("torch.") if isinstance(dtype, str) else None
