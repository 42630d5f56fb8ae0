"""Weights in another form than they were trained in: of another type, or with the adapter merged. Imports torch."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

from gpocli.errors import EnvironmentFault
from gpocli.policy.load import cannot_load
from gpocli.settings.model import ModelSpec
from gpocli.sharing.folder import WEIGHTS, write_json


def cast_weights(folder: Path, dtype: str) -> None:
    """Turn the floating-point tensors of every file in `folder` into `dtype`, a file at a time; the config says so."""
    kind, total = getattr(torch, dtype), 0
    for file in sorted(folder.glob(f"*{WEIGHTS}")):
        with safe_open(file, "pt") as opened:
            metadata = opened.metadata()
            tensors = {name: _cast(opened.get_tensor(name), kind) for name in opened.keys()}  # noqa: SIM118
        total += sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
        save_file(tensors, file, metadata=metadata)
    for index in folder.glob(f"*{WEIGHTS}.index.json"):
        content = json.loads(index.read_bytes())
        content.setdefault("metadata", {})["total_size"] = total
        write_json(index, content)
    config = folder / "config.json"
    if config.is_file():
        values = json.loads(config.read_bytes())
        write_json(config, _with_dtype(values, dtype))


def merge_adapter(adapter: Path, base: str, model: ModelSpec, dtype: str | None, target: Path) -> str:
    """Save into `target` the whole model that the base with its adapter is; returns the type of its weights.

    The sum is taken in float32 of the base's own weights, quantized or not in training, and then turned into `dtype`
    or, where it is None, into the type that the base was saved in. Raises `GpoError` for a base that cannot be loaded.
    """
    try:
        from peft import PeftModel
    except ImportError as error:
        raise EnvironmentFault("an adapter is merged with peft, which is not installed; pip install peft") from error
    options: dict[str, Any] = {"revision": model.revision, "trust_remote_code": model.trust_remote_code}
    try:
        whole = AutoModelForCausalLM.from_pretrained(base, dtype="auto", **options)
        own = str(whole.dtype).removeprefix("torch.")
        merged = PeftModel.from_pretrained(whole.float(), str(adapter)).merge_and_unload()
    except (OSError, ValueError, RuntimeError) as error:
        raise cannot_load(model, error) from error
    merged.to(getattr(torch, dtype or own))
    merged.save_pretrained(target)
    return dtype or own


def _cast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def _with_dtype(config: dict[str, Any], dtype: str) -> dict[str, Any]:
    """A config that names the type of the weights, where it named one, inner configs included."""
    named = {key: dtype if key in ("dtype", "torch_dtype") else value for key, value in config.items()}
    return {key: _with_dtype(value, dtype) if isinstance(value, dict) else value for key, value in named.items()}
