"""Which models the decode loop of this package can serve."""

import inspect
from typing import Any, cast

import torch
from torch import nn
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import DynamicLayer
from transformers.generation import GenerationMixin

from gpocli.rollout.rollout import SamplingRequest

# Cache layers whose whole state is rows of keys and values, so that rows can be repeated and selected. By name, since
# older versions of transformers lack some. Subclasses are not meant: those with a recurrent state inherit from these.
_ROW_WISE_LAYERS = {"DynamicLayer", "DynamicSlidingWindowLayer", "DynamicIndexedLayer", "DummyLayer"}

# Models that look as if they could be served: they write more into their cache than the tokens of a row.
_OF_THEIR_OWN = {"cpmant", "dory", "xlm"}

# Rotary embeddings whose frequencies are fixed, so that attention sees distances between tokens and nothing else. The
# others ("dynamic", "longrope") choose their frequencies by the number of columns, and store what they chose.
_FIXED_ROPE_TYPES = {"default", "linear", "llama3", "yarn", "proportional"}

# Models that hand a mask which is already in the shape of attention [rows, 1, queries, keys] on as it is and do not
# look at it otherwise, and that ask for nothing but scaled dot-product attention. Each is tried in
# tests/rollout/test_loop.py.
PLAIN_MODELS = frozenset(
    "gemma glm4 gpt2 gpt_neox granite llama mistral olmo2 phi phi3 qwen2 qwen3 qwen3_moe smollm3 starcoder2".split()
)


def base_model(model: nn.Module) -> nn.Module:
    """The transformers model inside a PEFT model, or the model itself."""
    is_peft = hasattr(model, "peft_config") and hasattr(model, "get_base_model")
    base: nn.Module = cast(Any, model).get_base_model() if is_peft else model
    return base


def forward_parameters(model: nn.Module) -> frozenset[str]:
    """The names of the arguments of the model's `forward`."""
    return frozenset(inspect.signature(type(base_model(model)).forward).parameters)


def cache_argument(model: nn.Module) -> str | None:
    """The name under which the model's `forward` takes a cache: "cache" from transformers 5.24 on."""
    parameters = forward_parameters(model)
    return next((name for name in ("cache", "past_key_values") if name in parameters), None)


def attends_plainly(model: nn.Module) -> bool:
    """Whether all layers are full attention by "sdpa" under the mask that they are given, and nothing else."""
    config: Any = base_model(model).config
    return (
        config.model_type in PLAIN_MODELS
        and config._attn_implementation == "sdpa"
        and all(type(layer) is DynamicLayer for layer in DynamicCache(config=config).layers)
    )


def supports(model: nn.Module, request: SamplingRequest | None = None) -> str | None:
    """None when `sample_groups` can serve the (unwrapped) model, and the request if given, else one line: why not."""
    peft_configs: dict[str, Any] = getattr(model, "peft_config", None) or {}
    for name in getattr(model, "active_adapters", list(peft_configs)) if peft_configs else []:
        if reason := _adapter_reason(name, peft_configs[name]):
            return reason
    base = base_model(model)
    if not isinstance(base, PreTrainedModel):
        return f"{type(base).__name__} is not a transformers model"
    for reason in (_kind_reason(base), _layer_reason(base), _placement_reason(base)):
        if reason:
            return reason
    return None if request is None else why_rope_changes(base, request)


def _adapter_reason(name: str, config: Any) -> str | None:
    if getattr(config, "is_prompt_learning", False):
        return f"adapter {name!r} learns a prompt, which is put before the tokens inside its own generate"
    if getattr(config, "alora_invocation_tokens", None):
        return f"adapter {name!r} starts at invocation tokens, which its own generate looks for"
    return None


def _kind_reason(base: PreTrainedModel) -> str | None:
    name, config, taken = type(base).__name__, base.config, forward_parameters(base)
    if config.is_encoder_decoder:
        return f"{name} is an encoder-decoder"
    if not base.can_generate():
        return f"{name} cannot generate text"
    if config.get_text_config() is not config:
        return f"{name} takes more than text"
    if _counts_by_tokens(base):
        return f"{name} counts positions in a way of its own"
    if base.config.model_type in _OF_THEIR_OWN:
        return f"{name} fills its cache in a way of its own"
    if {"encoder_hidden_states", "encoder_outputs"} & taken and "position_ids" not in taken:
        return f"{name} is one half of an encoder-decoder, and takes the column of a token for its position"
    if type(base).generate is not GenerationMixin.generate or hasattr(base, "custom_generate"):
        return f"{name} has a generate of its own"
    return None


def _layer_reason(base: PreTrainedModel) -> str | None:
    if getattr(base, "_is_stateful", False):
        return f"{type(base).__name__} keeps a recurrent state, from which rows cannot be selected"
    if cache_argument(base) is None:
        return f"{type(base).__name__} takes no key-value cache"
    kinds = {type(layer).__name__ for layer in DynamicCache(config=base.config).layers}
    if odd := sorted(kinds - _ROW_WISE_LAYERS):
        return f"{type(base).__name__} has cache layers from which rows cannot be selected: {', '.join(odd)}"
    return None


def _placement_reason(base: PreTrainedModel) -> str | None:
    if base.device.type == "mps":
        return "this device (mps) has no 64-bit floats, with which tokens are drawn"
    if len(set((getattr(base, "hf_device_map", None) or {}).values())) > 1:
        return f"{type(base).__name__} is spread over several devices"
    kinds = {kind.__name__ for module in base.modules() for kind in type(module).__mro__}
    if kinds & {"FullyShardedDataParallel", "FSDPModule"}:
        # Each forward gathers weights from all processes, which would have to take the same number of steps.
        return f"the weights of {type(base).__name__} are sharded over processes (FSDP)"
    return None


def rope_kinds(base: nn.Module) -> list[dict[str, Any]]:
    """The parameters of the model's rotary embeddings, one entry a kind of layer; empty without any."""
    config: Any = base.config
    rope: dict[str, Any] = getattr(config.get_text_config(), "rope_parameters", None) or {}
    return [each for each in rope.values() if isinstance(each, dict)] or ([rope] if rope else [])


def has_fixed_rope(base: nn.Module) -> bool:
    """Whether no rotary embedding of the model depends on how long the sequence is."""
    return all(kind.get("rope_type", "default") in _FIXED_ROPE_TYPES for kind in rope_kinds(base))


def sees_distances_alone(model: nn.Module) -> bool:
    """Whether moving a row by some columns, or more columns beside it, changes its log-probabilities by rounding alone.

    So it is with fixed rotary embeddings, and not with learned or sinusoidal positions (GPT-2, XGLM), nor with
    attention that the position scales (Llama 4, or layers left without a rotary embedding that others have).
    """
    base: Any = base_model(model)
    config, kinds = base.config.get_text_config(), rope_kinds(base)
    has_scaled_layers = (
        any("llama_4_scaling_beta" in kind for kind in kinds)
        or bool(getattr(config, "attn_temperature_tuning", False))
        or None in (getattr(config, "rope_parameters", None) or {}).values()
    )
    return bool(kinds) and has_fixed_rope(base) and not has_scaled_layers


def needs_positions(model: nn.Module) -> bool:
    """Whether the positions of a padded row have to be given, counted from its first token on.

    Without them models take a token's column for its position, and only some find out from the attention mask.
    """
    base, adapters = base_model(model), (getattr(model, "peft_config", None) or {}).values()
    return (
        "position_ids" in forward_parameters(model)
        and not sees_distances_alone(model)
        and not _counts_by_tokens(base)
        # These put tokens of their own in front, and leave out positions that they are given.
        and not any(getattr(config, "is_prompt_learning", False) for config in adapters)
    )


def _counts_by_tokens(base: nn.Module) -> bool:
    """Whether the model counts the tokens that are no padding, and from another number than 0 on (RoBERTa)."""
    return any(hasattr(module, "create_position_ids_from_input_ids") for module in base.modules())


def why_rope_changes(model: nn.Module, request: SamplingRequest) -> str | None:
    """None when all rows of a request, however far they grow, see the same rotary embedding, else one line.

    Where it changes, the tokens of a row are drawn under other frequencies than those under which a pass over the whole
    row scores them, and a longer row in the batch changes the frequencies of all.
    """
    base: Any = base_model(model)
    lengths = [len(prompt) for prompt in request.prompts_P]
    shortest, longest = min(lengths), max(lengths) + request.settings.max_new_tokens
    for kind in rope_kinds(base):
        name = kind.get("rope_type", "default")
        if name in _FIXED_ROPE_TYPES:
            continue
        # "longrope" has two sets of frequencies, the others one for each length.
        is_two_sets = name == "longrope"
        context = kind["original_max_position_embeddings"] if is_two_sets else base.config.max_position_embeddings
        if longest > context and not (is_two_sets and shortest > context):
            return (
                f"rows have {shortest} to {longest} tokens: the rotary embedding ({name}) of {type(base).__name__} "
                f"changes past {context}"
            )
    return None


def keeps_nothing_of_a_pass(model: nn.Module) -> bool:
    """Whether a forward pass leaves no tensor behind that a later pass with gradients would use.

    Such a tensor must not come from inference mode. Known cases: rotary embeddings that store their frequencies,
    quantized layers that prepare their weights on first use, and weights that an outer autocast keeps in another dtype.
    """
    base = base_model(model)
    return (
        type(base).__module__.startswith("transformers.")
        and has_fixed_rope(base)
        and not getattr(base, "is_quantized", False)
        and getattr(model, "_compiled_call_impl", None) is None
        and not torch.is_autocast_enabled(next(model.parameters()).device.type)
    )
