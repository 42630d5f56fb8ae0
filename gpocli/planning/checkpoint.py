"""A run's model as its files tell it, from its folder or from the hub's cache; nothing is ever downloaded.

Its parameters are counted from the headers of its safetensors files, whatever its architecture. Where there are none,
or where they hold packed numbers, they are counted by the family of the model.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpocli.embedded import model_folder, why_no_model
from gpocli.planning.architecture import Architecture, UnknownModel, read_architecture
from gpocli.planning.weights import Header, weights_of
from gpocli.settings.model import ModelSpec

_LARGEST_HEADER = 100_000_000
"""Bytes; the safetensors library refuses larger ones too."""
_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}


class NoConfig(Exception):
    """The config cannot be had; the text says why and what to do."""


def find_architecture(model: ModelSpec) -> Architecture:
    """The model of a run in numbers. Raises `NoConfig`."""
    path = _config_path(model)
    config = _json_of(path)
    try:
        architecture = read_architecture(config)
    except UnknownModel as error:
        raise NoConfig(f"model '{model.name}' is not one that can be counted: {error}") from error
    header = {} if "quantization_config" in config else read_headers(path.parent)
    if not header:
        return architecture
    tied = all(weight.name != "lm_head" for weight in architecture.weights)
    weights = weights_of(header, layers=len(architecture.windows), tied=tied)
    dtype = architecture.dtype or _DTYPES.get(next(iter(header.values()))["dtype"])
    return replace(architecture, weights=weights, counted=True, dtype=dtype)


def read_headers(folder: Path) -> Header:
    """What the headers of the weights in a folder say; nothing where a file is missing or of another format."""
    files, index = [folder / "model.safetensors"], folder / "model.safetensors.index.json"
    if not files[0].is_file() and index.is_file():
        files = [folder / str(name) for name in sorted(set(_json_of(index).get("weight_map", {}).values()))]
    if not all(file.is_file() for file in files):
        return {}
    return {name: entry for file in files for name, entry in _json_of(file, _header).items() if name != "__metadata__"}


def _header(file: Path) -> bytes:
    """The JSON at the start of a safetensors file, after its length in eight bytes."""
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        return stream.read(length) if length <= _LARGEST_HEADER else b"{}"  # no safetensors, as a pointer of Git LFS


def _json_of(path: Path, read: Callable[[Path], bytes] = Path.read_bytes) -> dict[str, Any]:
    try:
        value = json.loads(read(path))
    except (OSError, ValueError) as error:
        raise NoConfig(f"'{path}' cannot be read ({error}); save the model again") from error
    if not isinstance(value, dict):
        raise NoConfig(f"'{path}' holds no settings; save the model again")
    return value


def _config_path(model: ModelSpec) -> Path:
    folder = model_folder(model.name)
    if folder.is_dir():
        if (folder / "config.json").is_file():
            return folder / "config.json"
        if fault := why_no_model(model.name):
            raise NoConfig(fault)
        raise NoConfig(f"'{model.name}' has no config.json of its own; name the folder of the model under the adapter")
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(model.name, "config.json", revision=model.revision)
    except HFValidationError:
        raise NoConfig(f"'{model.name}' is no folder, and no name that a hub could have; name one of them") from None
    if isinstance(cached, str):
        return Path(cached)
    raise NoConfig(f"model '{model.name}' is not in the cache yet; fetch it: hf download {model.name} config.json")
