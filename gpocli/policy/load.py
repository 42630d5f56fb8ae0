"""The policy of a run: its tokenizer, its context, and the model as a trainer takes it. Imports torch."""

import importlib.util
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from gpocli.data.hub import go_offline_if_unreachable
from gpocli.embedded import model_folder, why_no_model
from gpocli.errors import EnvironmentFault, GpoError, SpecError, first_line
from gpocli.policy.sound import require_end_token, require_special_tokens
from gpocli.settings.model import ModelSpec


@dataclass(frozen=True, slots=True)
class Policy:
    """Where a policy comes from, with what is known of it before its weights are loaded."""

    tokenizer: Any
    """Padded on the left, as sampling needs it."""
    context: int | None
    """Tokens that the model takes."""
    base: str
    """Folder or hub id of a whole model."""
    adapter: str | None
    """Folder of an adapter for it, on which training goes on."""
    rows: int | None = None
    """Rows of the embedding: tokens that the model knows."""
    use_cache: Any = None
    """What the config says of it, which a trainer changes; None where it says nothing."""


def find_policy(model: ModelSpec) -> Policy:
    """Load tokenizer and config. Raises `SpecError` and `EnvironmentFault`."""
    name = _place_of(model.name)
    base = _base_of_adapter(name)
    if base is not None and model.lora is not None:
        raise SpecError(f"model.lora: '{model.name}' is an adapter already, and training goes on with it; remove this")
    whole = name if base is None else _place_of(base)
    has_tokenizer = (Path(name) / "tokenizer_config.json").is_file()
    options = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            name if has_tokenizer else whole, padding_side="left", truncation_side="left", **options
        )
        config = AutoConfig.from_pretrained(whole, **options)
    except (OSError, ValueError) as error:
        raise cannot_load(model, error) from error
    text = config.get_text_config()
    rows = getattr(text, "vocab_size", None)
    require_end_token(model.name, tokenizer, *_end_tokens(whole, model, config, text))
    require_special_tokens(model.name, tokenizer, rows)
    context = getattr(text, "max_position_embeddings", None)
    adapter = None if base is None else name
    return Policy(tokenizer, context, whole, adapter, rows, getattr(config, "use_cache", None))


def _end_tokens(place: str, model: ModelSpec, *configs: Any) -> list[Any]:
    """What the configs of a model declare as its end."""
    with suppress(OSError, ValueError):  # many models have none
        configs = (GenerationConfig.from_pretrained(place, revision=model.revision), *configs)
    return [getattr(config, "eos_token_id", None) for config in configs]


def trainer_arguments(policy: Policy, model: ModelSpec, config: Any) -> dict[str, Any]:
    """The model, its adapter and its quantization as keyword arguments of a trainer with `config`."""
    quantization = _quantization(model)
    if policy.adapter is None:
        return {"model": policy.base, "peft_config": _lora(model), **quantization}
    _need("peft", "peft")
    from peft import PeftModel

    options = {"dtype": torch.float32, "trust_remote_code": model.trust_remote_code}
    options |= (config.model_init_kwargs or {}) | quantization
    config.model_init_kwargs = None  # TRL would say that it ignores them
    base = AutoModelForCausalLM.from_pretrained(policy.base, **options)
    return {"model": PeftModel.from_pretrained(base, policy.adapter, is_trainable=True)}


def cannot_load(model: ModelSpec, error: Exception) -> GpoError:
    """What to tell a user whose model cannot be loaded because of `error`."""
    if "trust_remote_code" in str(error) and not model.trust_remote_code:
        return SpecError(
            f"model '{model.name}' brings Python code of its own, which is not run unasked; read that code, then "
            "write --set model.trust_remote_code=true"
        )
    return EnvironmentFault(
        f"cannot load model '{model.name}' ({first_line(error)}); check the name and the connection, or name a folder"
    )


def _place_of(name: str) -> str:
    """The folder of a model, whole so that an adapter saved with it can be loaded from anywhere, or its hub id."""
    folder = model_folder(name)
    if fault := why_no_model(name):
        raise SpecError(f"model.name: {fault}")
    if folder.is_dir():
        return str(folder.absolute())
    go_offline_if_unreachable()
    return name


def _base_of_adapter(place: str) -> str | None:
    """The model that the adapter in a folder is for; None where the folder holds a whole model."""
    file = Path(place) / "adapter_config.json"
    if not file.is_file() or (Path(place) / "config.json").is_file():
        return None
    base = json.loads(file.read_text(encoding="utf-8")).get("base_model_name_or_path")
    if not isinstance(base, str) or not base:
        raise SpecError(f"model.name: '{file}' does not name the model that it adapts (base_model_name_or_path)")
    return base


def _lora(model: ModelSpec) -> Any:
    if model.lora is None:
        return None
    _need("peft", "peft")
    from peft import LoraConfig

    targets = model.lora.target_modules
    return LoraConfig(
        r=model.lora.rank,
        lora_alpha=model.lora.alpha,
        lora_dropout=model.lora.dropout,
        target_modules=targets if targets == "all-linear" else list(targets),
        task_type="CAUSAL_LM",
    )


def _quantization(model: ModelSpec) -> dict[str, Any]:
    if model.quantization is None:
        return {}
    _need("bitsandbytes", "quantization")
    from transformers import BitsAndBytesConfig

    if model.quantization == "8bit":
        return {"quantization_config": BitsAndBytesConfig(load_in_8bit=True)}
    config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
    return {"quantization_config": config}


def _need(package: str, extra: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise EnvironmentFault(f"this run needs {package}, which is not installed; pip install 'gpocli[{extra}]'")
