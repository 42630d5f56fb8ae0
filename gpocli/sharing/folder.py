"""The files of a model that others need to load it, copied without what tells of this machine. Free of torch."""

import json
import shutil
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from gpocli.sharing.public import folder_name, is_hub_id

_WANTED = (
    "*.safetensors",
    "*.safetensors.index.json",
    "*config.json",
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "*.jinja",
    "*.model",
    "*.tiktoken",
    "*.py",
)
"""All else in a run's model or checkpoint serves training: optimizer, random states, arguments, manifest."""
WEIGHTS = ".safetensors"
_PLACES = ("_name_or_path", "name_or_path", "tokenizer_file", "vocab_file", "special_tokens_map_file")
ADAPTER_CONFIG = "adapter_config.json"


def files_to_share(source: Path) -> list[Path]:
    """The files in `source` that a model is loaded from, by name."""
    files = [file for file in source.iterdir() if file.is_file() and any(fnmatch(file.name, one) for one in _WANTED)]
    templates = source / "additional_chat_templates"
    return sorted([*files, *templates.glob("*.jinja")])


def is_adapter(source: Path) -> bool:
    """Whether a folder holds an adapter rather than a whole model."""
    return (source / ADAPTER_CONFIG).is_file() and not (source / "config.json").is_file()


def base_of_adapter(source: Path) -> str:
    """What an adapter says it is for: a folder or a hub id; empty where it says nothing."""
    base = _read(source / ADAPTER_CONFIG).get("base_model_name_or_path")
    return base if isinstance(base, str) else ""


def copy_files(source: Path, target: Path, *, weights: bool = True) -> None:
    """Copy what is to be shared, configs without places of this machine; `weights` off leaves the tensors out."""
    for file in files_to_share(source):
        if not weights and (WEIGHTS in file.name or file.name == ADAPTER_CONFIG):
            continue
        copy = target / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if file.name.endswith("config.json"):
            write_json(copy, without_places(_read(file)))
        else:
            shutil.copyfile(file, copy)


def name_base(folder: Path, base: str | None) -> str:
    """Let an exported adapter name `base`, or where it is None keep a hub id and reduce a folder to its name.

    Returns the name that it then has.
    """
    file = folder / ADAPTER_CONFIG
    config = _read(file)
    own = str(config.get("base_model_name_or_path") or "")
    named = base or (own if is_hub_id(own) else folder_name(own))
    write_json(file, config | {"base_model_name_or_path": named})
    return named


def without_places(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config without the folders that it was loaded from."""
    return {key: value for key, value in config.items() if key not in _PLACES or _is_public(value)}


def _is_public(value: object) -> bool:
    return isinstance(value, str) and is_hub_id(value)


def write_json(file: Path, value: Mapping[str, Any]) -> None:
    """Write a config as transformers lays it out."""
    file.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def _read(file: Path) -> dict[str, Any]:
    value = json.loads(file.read_bytes())
    return value if isinstance(value, dict) else {}
