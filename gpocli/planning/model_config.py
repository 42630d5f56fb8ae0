"""The config.json of a run's model, from its folder or from the hub's cache; nothing is ever downloaded."""

import json
from pathlib import Path
from typing import Any

from gpocli.embedded import EMBEDDED, MODEL_PATH
from gpocli.planning.architecture import Architecture, UnknownModel, read_architecture
from gpocli.settings.model import ModelSpec


class NoConfig(Exception):
    """The config cannot be had; the text says why and what to do."""


def find_architecture(model: ModelSpec) -> Architecture:
    """The model of a run in numbers. Raises `NoConfig`."""
    path = _config_path(model)
    try:
        config: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NoConfig(f"'{path}' cannot be read ({error}); save the model again") from error
    if not isinstance(config, dict):
        raise NoConfig(f"'{path}' holds no settings; save the model again")
    try:
        return read_architecture(config)
    except UnknownModel as error:
        raise NoConfig(f"model '{model.name}' is not one that can be counted: {error}") from error


def _config_path(model: ModelSpec) -> Path:
    if model.name == EMBEDDED:
        return MODEL_PATH / "config.json"
    folder = Path(model.name).expanduser()
    if folder.is_dir():
        if (folder / "config.json").is_file():
            return folder / "config.json"
        raise NoConfig(f"'{model.name}' has no config.json of its own; name the folder of the model under the adapter")
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(model.name, "config.json", revision=model.revision)
    if isinstance(cached, str):
        return Path(cached)
    raise NoConfig(f"model '{model.name}' is not in the cache yet; fetch it: hf download {model.name} config.json")
