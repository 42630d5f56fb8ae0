"""A model in numbers, worked out from its config.json alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gpocli.planning.families import FAMILIES, ROUTED, SHARED, Family, Shapes
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
    width = int(config["intermediate_size"])
    experts = int(config.get("num_local_experts") or config.get("num_experts") or 0)
    expert_width = int(config.get("moe_intermediate_size") or width)
    shared_width = int(config.get("shared_expert_intermediate_size") or 0)
    active_experts = expert_width * int(config.get("num_experts_per_tok", 1)) + shared_width
    windows, kinds_are_known = _windows(config, family, layers)
    context = _optional_int(config.get("max_position_embeddings"))
    query, key = heads * head_dim, kv_heads * head_dim
    axes = {"1": 1, "V": vocabulary, "C": context or 0, "H": hidden, "M": width, "G": 2 * width}
    axes |= {"D": head_dim, "Q": query, "K": key, "A": query + 2 * key}
    axes |= {"E": experts, "X": expert_width, "Y": 2 * expert_width, "S": shared_width}
    known = model_type in FAMILIES and kinds_are_known
    return Architecture(
        model_type=model_type,
        known=known,
        counted=known,
        weights=tuple(_weights(config, family, axes, layers)),
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        active_mlp=active_experts if experts else width,
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


def _weights(config: Config, family: Family, axes: dict[str, int], layers: int) -> Iterator[Weight]:
    bias = family.is_gpt2 or bool(config.get("attention_bias"))
    qkv_bias = bool(config.get("qkv_bias", family.qkv_bias or bias))
    mlp_bias = family.is_gpt2 or (bool(config.get("mlp_bias")) and not axes["E"])
    sparse = _sparse_layers(config, layers) if axes["E"] else 0
    norms = (1 + family.is_gpt2) * (family.norms * layers + 1)
    parts: list[tuple[Shapes, int, bool]] = [
        ({"embed_tokens": "VH"}, 1, False),
        ({"wpe": "CH"}, family.is_gpt2, False),
        ({"lm_head": "VH"}, not config.get("tie_word_embeddings", family.tied), False),
        ({"norm": "H"}, norms, False),
        (family.qkv, layers, qkv_bias),
        ({family.attention_out: "HQ"}, layers, bias),
        (family.qk_norm, layers, False),
        (family.mlp, layers - sparse, mlp_bias),
        (ROUTED, sparse, False),
        (SHARED, sparse if axes["S"] else 0, False),
    ]
    for shapes, count, biased in parts:
        for name, letters in shapes.items() if count else ():
            shape = tuple(axes[letter] for letter in letters)
            yield Weight(name, shape, int(count))
            if biased:
                yield Weight(name, shape[:1], count)


def _sparse_layers(config: Config, layers: int) -> int:
    """How many layers have experts, where some have."""
    dense = set(config.get("mlp_only_layers") or ())
    step = int(config.get("decoder_sparse_step", 1))
    return sum((layer + 1) % step == 0 and layer not in dense for layer in range(layers))


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
