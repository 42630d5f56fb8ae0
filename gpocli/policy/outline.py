"""A model without weights, built as the one of a run is built: what is wrong with its options shows in a second."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import torch
import transformers
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM

_META = {"": "meta"}


def outline(place: str, options: Mapping[str, Any]) -> nn.Module:
    """The model in a folder or of a hub id on the meta device, loaded with `options` as `from_pretrained` takes them.

    Raises what transformers raises for options that the model does not take.
    """
    left_out = ("device_map", "quantization_config")  # these are about weights
    given = {name: value for name, value in options.items() if name not in left_out}
    if isinstance(given.get("dtype"), str) and given["dtype"] != "auto":
        given["dtype"] = getattr(torch, given["dtype"])
    config, rest = AutoConfig.from_pretrained(place, return_unused_kwargs=True, **given)
    architecture = getattr(transformers, (config.architectures or [""])[0], None) or AutoModelForCausalLM
    model: nn.Module
    if architecture is AutoModelForCausalLM:
        with torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config, trust_remote_code=bool(options.get("trust_remote_code")))
    else:
        model = architecture.from_pretrained(None, config=config, state_dict={}, device_map=_META, **rest)
    return model


def unmatched_layers(model: nn.Module, targets: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each of the names of layers to adapt that the model does not have, and what it has."""
    names = [name for name, _ in model.named_modules()]
    leaves = sorted({name.rpartition(".")[2] for name, module in model.named_modules() if _can_adapt(module)})
    for target in targets:
        if not any(name == target or name.endswith(f".{target}") for name in names):
            near = get_close_matches(target, leaves, n=1)
            yield target, f"write {near[0]}" if near else f"there are: {', '.join(leaves)}"


def _can_adapt(module: nn.Module) -> bool:
    return isinstance(module, nn.Linear | nn.Embedding) or type(module).__name__ == "Conv1D"


def adapted(model: nn.Module, adapter: Any) -> nn.Module:
    """The model with a PEFT adapter. Raises what PEFT raises for one that does not fit."""
    from peft import get_peft_model

    found: nn.Module = get_peft_model(model, adapter)
    return found


def adapts_its_head(model: Any) -> bool:
    """Whether an adapter stands on the layer that makes logits, whose weights the loss reads directly."""
    from peft.tuners.tuners_utils import BaseTunerLayer

    return isinstance(model.get_output_embeddings(), BaseTunerLayer)
