"""How much memory a process of a run needs, part by part, from the sizes of its model."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from gpocli.planning.architecture import Architecture
from gpocli.planning.weights import Weight
from gpocli.settings.model import LoraSpec

When = Literal["always", "sampling", "training"]

DTYPE_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
_FLOAT32 = 4
_NF4_BYTES = 0.5 + _FLOAT32 / 64
"""A 4-bit element and its share of the scale that 64 of them have."""
_COPIES_OF_LOGITS = 3
"""Float32 copies while a token is drawn: logits, probabilities and their sums."""
_HEAD_TOKENS, _HEAD_VOCABULARY = 4096, 32768
"""Tile in which TRL computes log-probabilities (trl/kernels/chunked_logprob.py); logits are never whole."""
_SPARE = 0.25
"""Spare columns that the cache of gpo's own sampling grows by (rollout/cache.py)."""
OWN_CACHE = ("auto", "race", "generate")
"""Engines that keep the cache of transformers; the others set aside a share of the device."""


@dataclass(frozen=True, slots=True)
class RunSizes:
    """What decides the memory of a run, besides its model. Rows and tokens are those of one process."""

    dtype: str
    """Of the weights."""
    autocast: bool
    """Whether the passes of training compute in bfloat16 or float16 where the weights are float32."""
    reference: bool
    """Whether there is a KL term, which needs the model as it was."""
    lora: LoraSpec | None
    quantization: Literal["4bit", "8bit"] | None
    optimizer: str
    checkpointing: bool
    eager: bool
    """Whether attention is computed the plain way, which keeps its whole matrix."""
    engine: str
    processes: int
    micro_batch: int
    candidates: int
    """Rows sampled at once."""
    prompt_tokens: int
    """Of the longest prompt."""
    completion_tokens: int
    """Of the longest completion."""

    @property
    def tokens(self) -> int:
        """Of the longest row."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def element(self) -> int:
        """Bytes of an element of the weights, of the residual stream and of the cache."""
        return DTYPE_BYTES[self.dtype]

    @property
    def compute(self) -> int:
        """Bytes of an element that the passes of training compute with."""
        return 2 if self.autocast else self.element


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the memory of one process. `exact` tells a sum from an estimate."""

    name: str
    bytes: int
    when: When
    exact: bool
    how: str


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """The memory of one process, without what the device's own libraries take."""

    parameters: int
    trained_parameters: int
    parts: tuple[Part, ...]
    notes: tuple[str, ...]

    @property
    def while_sampling(self) -> int:
        """Bytes in use while completions are sampled."""
        return sum(part.bytes for part in self.parts if part.when != "training")

    @property
    def while_training(self) -> int:
        """Bytes in use while a micro-batch is trained on."""
        return sum(part.bytes for part in self.parts if part.when != "sampling")


def estimate_memory(model: Architecture, sizes: RunSizes) -> MemoryEstimate:
    """The memory of one process of a run, exact where what is known of the model allows it."""
    adapter = () if sizes.lora is None else model.adapter_weights(sizes.lora.rank, sizes.lora.target_modules)
    trained, is_exact = (model.weights, model.counted) if sizes.lora is None else (adapter, model.known)
    parts = [
        *_weights(model, adapter, sizes),
        *_updates(trained, is_exact, sizes),
        *_passes(model, sizes),
        *_sampling(model, sizes),
    ]
    return MemoryEstimate(
        parameters=model.parameters,
        trained_parameters=_elements(trained),
        parts=tuple(part for part in parts if part.bytes),
        notes=tuple(_notes(model, sizes)),
    )


def optimizer_bytes(optimizer: str, weights: Sequence[Weight], element: int) -> int:
    """Bytes that an optimizer keeps of `weights`, whose elements have `element` bytes."""
    elements = _elements(weights)
    if optimizer == "adafactor":  # row and column sums of each matrix, in float32
        return sum(_FLOAT32 * _factors(weight.shape) * weight.count for weight in weights)
    return elements * {
        "adamw_8bit": 2,
        "adamw_torch": 2 * element,
        "adamw_torch_fused": 2 * element,
        "ademamix": 3 * _FLOAT32,
        "lion_32bit": _FLOAT32,
        "lion_8bit": 1,
        "paged_adamw_32bit": 2 * _FLOAT32,
        "paged_adamw_8bit": 2,
        "rmsprop": element,
        "sgd": 0,
        "stable_adamw": 2 * element,
    }.get(optimizer, 2 * _FLOAT32)


EXACT_OPTIMIZERS = ("adafactor", "adamw_torch", "adamw_torch_fused", "rmsprop", "sgd")
"""Those whose states are a plain sum; the others pack theirs, or page them to the host."""


def activation_bytes(model: Architecture, sizes: RunSizes) -> int:
    """About what a forward pass keeps for the backward pass of a micro-batch of the longest rows.

    Of each layer: what normalizations (in float32), attention and the feed-forward part need again; with
    checkpointing only each layer's input, and one layer whole.
    """
    rows, compute = sizes.micro_batch * sizes.tokens, sizes.compute
    query, key = model.heads * model.head_dim, model.kv_heads * model.head_dim
    layer = model.family.norms * model.hidden * (2 * _FLOAT32 + compute)
    layer += 2 * (query + key) * compute
    layer += (2 * _FLOAT32 if sizes.autocast else 2 * compute) * (query + key) * bool(model.family.qk_norm)
    layer += (8 if model.family.is_gpt2 else 4) * model.active_mlp * compute
    if sizes.eager:
        layer += model.heads * sizes.tokens * (_FLOAT32 + compute)
    layers = len(model.windows)
    last_norm = model.hidden * (2 * _FLOAT32 + compute)
    if sizes.checkpointing:
        return rows * (layers * model.hidden * sizes.element + layer + last_norm)
    return rows * (layers * layer + last_norm)


# Parts


def _weights(model: Architecture, adapter: Sequence[Weight], sizes: RunSizes) -> list[Part]:
    linear = sum(weight.numel for weight in model.weights if weight.is_linear and weight.name != "lm_head")
    if sizes.quantization is None:
        base = model.parameters * sizes.element
        how = f"{_short(model.parameters)} x {sizes.element} bytes ({sizes.dtype})"
    else:
        packed = linear * (_NF4_BYTES if sizes.quantization == "4bit" else 1)
        base = int(packed) + (model.parameters - linear) * _FLOAT32
        how = f"{_short(linear)} in linear layers as {sizes.quantization}, the others float32"
    parts = [Part("weights", base, "always", model.counted and sizes.quantization is None, how)]
    if sizes.lora is not None:
        elements = _elements(adapter)
        how = f"{_short(elements)} x 4 bytes, rank {sizes.lora.rank}"
        parts.append(Part("adapter", elements * _FLOAT32, "always", model.known, how))
    if sizes.reference and sizes.lora is None:
        how = "a second copy, for the KL term (beta > 0)"
        parts.append(Part("reference model", base, "always", model.counted, how))
    if sizes.autocast and sizes.dtype == "float32" and sizes.quantization is None:
        how = "of the linear layers, for mixed precision"
        parts.append(Part("16-bit copies of weights", 2 * linear, "training", False, how))
    return parts


def _updates(trained: Sequence[Weight], is_exact: bool, sizes: RunSizes) -> list[Part]:
    elements = _elements(trained)
    element = sizes.element if sizes.lora is None else _FLOAT32
    gradients = elements * element
    states = optimizer_bytes(sizes.optimizer, trained, element)
    states_are_exact = is_exact and sizes.optimizer in EXACT_OPTIMIZERS
    parts = [
        Part("gradients", gradients, "training", is_exact, f"{_short(elements)} trained x {element} bytes"),
        Part("optimizer states", states, "always", states_are_exact, f"of {sizes.optimizer}"),
    ]
    if sizes.processes > 1:
        parts.append(Part("gradient buckets", gradients, "always", False, "to sum gradients over processes"))
    return parts


def _passes(model: Architecture, sizes: RunSizes) -> list[Part]:
    kind = "with gradient checkpointing" if sizes.checkpointing else "all layers kept"
    how = f"{sizes.micro_batch} rows x {sizes.tokens} tokens, {kind}"
    head = model.vocabulary * model.hidden * _FLOAT32 if sizes.lora is None else 0
    scored = sizes.micro_batch * sizes.completion_tokens
    tile = min(scored, _HEAD_TOKENS) * min(model.vocabulary, _HEAD_VOCABULARY) * (2 * _FLOAT32 + sizes.compute)
    logits = tile + head + scored * model.hidden * _FLOAT32
    return [
        Part("activations", activation_bytes(model, sizes), "training", False, how),
        Part("logits, training", logits, "training", False, "in tiles, with the gradient of the output layer"),
    ]


def _sampling(model: Architecture, sizes: RunSizes) -> list[Part]:
    if sizes.engine not in OWN_CACHE:
        return []
    cache = model.cache_elements(sizes.candidates, sizes.tokens) * sizes.element
    logits = sizes.candidates * model.vocabulary * _FLOAT32 * _COPIES_OF_LOGITS
    how = f"{sizes.candidates} candidates x {sizes.tokens} tokens, {model.kv_heads} of {model.heads} heads"
    parts = [Part("KV cache", cache, "sampling", model.known, how)]
    if sizes.engine != "generate":
        parts.append(Part("KV cache, spare", int(cache * _SPARE), "sampling", False, "columns to grow into"))
    parts.append(Part("logits, sampling", logits, "sampling", False, f"{sizes.candidates} x {model.vocabulary} tokens"))
    return parts


def _notes(model: Architecture, sizes: RunSizes) -> list[str]:
    notes = []
    if not model.counted:
        notes.append(f"models of type '{model.model_type}' are counted like a Llama, so all parts are estimates")
    elif not model.known:
        notes.append(f"the cache of models of type '{model.model_type}' is taken to be a Llama's, so it is an estimate")
    if sizes.engine in OWN_CACHE:
        notes.append(
            "the KV cache is that of every candidate at its longest; a race, and dropping ended rows, make it smaller"
        )
    else:
        notes.append(f"the engine {sizes.engine} sets its own share of the device aside for the KV cache; add it")
    notes.append("the device's own libraries and fragmentation take more, often 1 to 2 GiB")
    return notes


def _elements(weights: Sequence[Weight]) -> int:
    return sum(weight.numel for weight in weights)


def _factors(shape: tuple[int, ...]) -> int:
    if len(shape) < 2:
        return prod(shape)
    return prod(shape[:-1]) + prod(shape[:-2]) * shape[-1]


def _short(elements: int) -> str:
    """A count of elements as names of models have it: `631K`, `8.03B`."""
    for unit, name in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if elements >= unit:
            return f"{elements / unit:.3g}{name}"
    return str(elements)
