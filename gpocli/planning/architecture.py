"""A model in numbers, worked out from its config.json alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gpocli.planning.families import FAMILIES, Family
from gpocli.planning.weights import Weight

Config = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Architecture:
    """A decoder model in numbers."""

    model_type: str
    known: bool
    """Whether `model_type` is in the table of families; others are taken to be like a Llama."""
    counted: bool
    """Whether `weights` are the model's to the last one."""
    weights: tuple[Weight, ...]
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    active_mlp: int
    """Width of the feed-forward part that a token passes through, all active experts together."""
    family: Family
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

    def adapter_weights(self, rank: int, targets: list[str] | Literal["all-linear"]) -> tuple[Weight, ...]:
        """The matrices of a low-rank adapter on the layers that `targets` names."""
        adapted = [w for w in self.weights if w.is_adapted(targets, experts=self.family.adapts_experts)]
        return tuple(matrix for weight in adapted for matrix in weight.adapter(rank))


class UnknownModel(Exception):
    """A config that does not describe a decoder model; the text says what is missing."""


def read_architecture(config: Config) -> Architecture:
    """The model that a parsed config.json describes; of one that also sees images, its language part.

    Raises `UnknownModel`.
    """
    text = config.get("text_config")
    try:
        return _read({**config, **text} if isinstance(text, Mapping) else config)
    except KeyError as error:
        raise UnknownModel(f"its config.json has no {error.args[0]}") from error
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise UnknownModel(f"its config.json has a size that is no number ({error})") from error


def _read(config: Config) -> Architecture:
    model_type = str(config.get("model_type", "unknown"))
    config = _with_newer_names(config) if model_type == "gpt2" else config
    family = FAMILIES.get(model_type, FAMILIES["llama"])
    hidden, layers, vocabulary = (int(config[key]) for key in ("hidden_size", "num_hidden_layers", "vocab_size"))
    heads = int(config["num_attention_heads"])
    kv_heads = int(config.get("num_key_value_heads") or heads)
    head_dim = int(config.get("head_dim") or family.head_dim or hidden // heads)
    windows, kinds_are_known = _windows(config, family, layers)
    context = _optional_int(config.get("max_position_embeddings"))
    width = int(config["intermediate_size"])
    weights = [
        Weight("embed_tokens", (vocabulary, hidden)),
        *_attention(config, family, layers, hidden, heads * head_dim, kv_heads * head_dim, head_dim),
        Weight("norm", (hidden,), (1 + family.is_gpt2) * (family.norms * layers + 1)),
    ]
    if family.is_gpt2:
        weights.append(Weight("wpe", (context or 0, hidden)))
    if not config.get("tie_word_embeddings", family.tied):
        weights.append(Weight("lm_head", (vocabulary, hidden)))
    if experts := int(config.get("num_local_experts") or config.get("num_experts") or 0):
        routed, width = _experts(config, family, layers, hidden, width, experts)
        weights += routed
    else:
        weights += _feed_forward(family, layers, hidden, width, family.is_gpt2 or bool(config.get("mlp_bias")))
    known = model_type in FAMILIES and kinds_are_known
    return Architecture(
        model_type=model_type,
        known=known,
        counted=known,
        weights=tuple(weights),
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        active_mlp=width,
        family=family,
        vocabulary=vocabulary,
        windows=windows,
        context=context,
        dtype=_dtype(config),
    )


def _with_newer_names(config: Config) -> Config:
    """A config of GPT-2, whose sizes have older names, and may be left out."""
    hidden = int(config.get("n_embd", 768))
    return {
        **config,
        "hidden_size": hidden,
        "num_hidden_layers": config.get("n_layer", 12),
        "num_attention_heads": config.get("n_head", 12),
        "intermediate_size": config.get("n_inner") or 4 * hidden,
        "max_position_embeddings": config.get("n_positions", 1024),
    }


def _attention(
    config: Config, family: Family, layers: int, hidden: int, query: int, key: int, head_dim: int
) -> Iterator[Weight]:
    bias = family.is_gpt2 or bool(config.get("attention_bias"))
    qkv_bias = bool(config.get("qkv_bias", family.qkv_bias or bias))
    *inner, out = family.attention
    widths = (query, key, key) if len(inner) == 3 else (query + 2 * key,)
    for name, width in zip(inner, widths, strict=True):
        yield from _linear(name, hidden, width, layers, qkv_bias)
    yield from _linear(out, query, hidden, layers, bias)
    if family.qk_norm:
        sizes = (head_dim, head_dim) if family.qk_norm == "head" else (query, key)
        yield from (Weight(name, (size,), layers) for name, size in zip(("q_norm", "k_norm"), sizes, strict=True))


def _feed_forward(family: Family, layers: int, hidden: int, width: int, biased: bool = False) -> Iterator[Weight]:
    *inner, out = family.mlp
    in_one = 2 if inner == ["gate_up_proj"] else 1
    for name in inner:
        yield from _linear(name, hidden, in_one * width, layers, biased)
    yield from _linear(out, width, hidden, layers, biased)


def _experts(
    config: Config, family: Family, layers: int, hidden: int, width: int, experts: int
) -> tuple[list[Weight], int]:
    """The feed-forward weights of all layers, and the width that a token passes through in a layer that has most."""
    dense = set(config.get("mlp_only_layers") or ())
    step = int(config.get("decoder_sparse_step", 1))
    sparse = sum((layer + 1) % step == 0 and layer not in dense for layer in range(layers))
    expert_width = int(config.get("moe_intermediate_size") or width)
    shared = int(config.get("shared_expert_intermediate_size") or 0)
    weights = [
        *_feed_forward(family, layers - sparse, hidden, width),
        Weight("gate", (experts, hidden), sparse),
        Weight("gate_up_proj", (experts, 2 * expert_width, hidden), sparse),
        Weight("down_proj", (experts, hidden, expert_width), sparse),
    ]
    if shared:
        weights += [*_feed_forward(family, sparse, hidden, shared), Weight("shared_expert_gate", (1, hidden), sparse)]
    return weights, expert_width * int(config.get("num_experts_per_tok", 1)) + shared


def _linear(name: str, inputs: int, outputs: int, count: int, biased: bool) -> Iterator[Weight]:
    if count:
        yield Weight(name, (outputs, inputs), count)
        if biased:
            yield Weight(name, (outputs,), count)


def _windows(config: Config, family: Family, layers: int) -> tuple[tuple[int | None, ...], bool]:
    """The window of each layer, and whether it is known which layers have one."""
    size = _optional_int(config.get("sliding_window", family.window))
    if not config.get("use_sliding_window", True):
        size = None
    kinds = config.get("layer_types")
    if kinds is None:
        full = config.get("sliding_window_pattern") or config.get("_sliding_window_pattern") or family.full_every
        found = tuple(None if full and (layer + 1) % int(full) == 0 else size for layer in range(layers))
        return found, size is None or "use_sliding_window" not in config  # whose families do not have it in each layer
    found = tuple(size if kind == "sliding_attention" else None for kind in kinds)
    return found, len(found) == layers and set(kinds) <= {"full_attention", "sliding_attention"}


def _optional_int(value: Any) -> int | None:
    return None if value is None else int(value)


def _dtype(config: Config) -> str | None:
    dtype = config.get("dtype", config.get("torch_dtype"))
    return dtype.removeprefix("torch.") if isinstance(dtype, str) else None
