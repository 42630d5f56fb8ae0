"""The model, as far as its files tell: whether it is there, has weights, and leaves room for a prompt."""

import json
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gpocli.checks.findings import Findings
from gpocli.embedded import EMBEDDED, model_folder, why_no_model
from gpocli.errors import SpecError
from gpocli.policy.files import TokenizerFiles
from gpocli.policy.hub_model import ask_for, cached_folder, fetch_note

_WEIGHTS = (".safetensors", ".bin")
_TOKENIZER = ("tokenizer", "vocab", "merges", "spiece", "sentencepiece")


def check_model(findings: Findings) -> None:
    """Find faults of a model in a folder; a hub id is only seen to be one."""
    if not findings.are_sound("model.name"):
        return
    name = findings.spec.model.name
    if fault := wrong_folder(name):
        findings.add("model.name", fault)
        return
    folder = model_folder(name)
    if findings.are_sound("sampling.max_tokens"):
        _check_context(findings, folder)
    if findings.are_sound("model.trust_remote_code"):
        _check_own_code(findings, folder)


def files_of(findings: Findings) -> TokenizerFiles | None:
    """The files of the model's tokenizer; None where they are not those of one folder, or the model is not there."""
    if not findings.are_sound("model.name") or wrong_folder(findings.spec.model.name):
        return None
    folder = model_folder(findings.spec.model.name)
    if not folder.is_dir():
        folder = _cached(findings) or folder
    return TokenizerFiles(folder) if (folder / "config.json").is_file() else None


def check_hub_model(findings: Findings) -> None:
    """Find a hub id that the cache does not hold and the hub does not give; asked only where all else is sound."""
    model = findings.spec.model
    is_elsewhere = model_folder(model.name).is_dir() or model.name == EMBEDDED
    if findings.faults or is_elsewhere:
        return
    with findings.at("model.name"):
        fetch = ask_for(model)
        if fetch is not None:
            findings.notes.append(fetch_note(model, fetch))


def _cached(findings: Findings) -> Path | None:
    with suppress(SpecError):  # told by `check_hub_model`
        return cached_folder(findings.spec.model)
    return None


def check_packages(findings: Findings) -> None:
    """Find settings that need a package which is not installed."""
    model, sampling = findings.spec.model, findings.spec.sampling
    server = sampling.vllm
    is_elsewhere = server is not None and server.url is not None and not server.start and server.sync != "nccl"
    for wanted, path, package, extra in (
        (model.lora is not None, "model.lora", "peft", "peft"),
        (model.quantization is not None, "model.quantization", "bitsandbytes", "quantization"),
        (sampling.engine == "vllm" and not is_elsewhere, "sampling.engine", "vllm", "vllm"),
    ):
        if wanted and findings.are_sound(path) and find_spec(package) is None:
            findings.add(path, f"needs {package}, which is not installed; pip install 'gpocli[{extra}]'", "environment")


def wrong_folder(name: str) -> str | None:
    """What is wrong with a model that is named like a path, rather than after five requests to a hub."""
    path = model_folder(name)
    if name == EMBEDDED:
        return None
    if path.is_file():
        return f"'{name}' is a file; name the folder of a saved model"
    if fault := why_no_model(name):
        return fault
    if path.is_dir():
        if not any((path / file).is_file() for file in ("config.json", "adapter_config.json")):
            return f"'{name}' holds no model (no config.json); name the folder of a saved model"
        if not any(file.suffix in _WEIGHTS for file in path.iterdir()):
            return f"'{name}' holds no weights ({' or '.join(_WEIGHTS)}); save the model there, or name another folder"
        if (path / "config.json").is_file() and not any(f.name.startswith(_TOKENIZER) for f in path.iterdir()):
            return f"'{name}' holds no tokenizer; save the model's there, or name another folder"
        return None
    if name.startswith(("/", "./", "../", "~")) or "\\" in name or name.count("/") > 1:
        return f"no such folder '{name}'; write the path of a saved model, or a hub id such as Qwen/Qwen3-0.6B"
    return None


def _check_own_code(findings: Findings, folder: Path) -> None:
    """Find a model that only its own code can load, about which transformers would ask on the keyboard."""
    config = _json_of(folder / "config.json")
    kind = config.get("model_type")
    has_code = isinstance(config.get("auto_map"), dict) and "AutoConfig" in config["auto_map"]
    if has_code and not findings.spec.model.trust_remote_code and not _is_known_to_transformers(kind):
        findings.add(
            "model.name",
            f"'{findings.spec.model.name}' needs the Python code that comes with it; read it, and write "
            "model.trust_remote_code: true",
        )


def _is_known_to_transformers(kind: object) -> bool:
    """Whether transformers has a model of this type itself, from the text of its tables: importing it takes seconds."""
    found = find_spec("transformers")
    if found is None or found.origin is None:
        return True
    tables = Path(found.origin).parent / "models" / "auto"
    return any(f'"{kind}"' in table.read_text(encoding="utf-8") for table in tables.glob("*.py"))


def _check_context(findings: Findings, folder: Path) -> None:
    context = context_of(folder)
    wanted = findings.spec.sampling.max_tokens
    if context is not None and wanted >= context:
        findings.add(
            "sampling.max_tokens",
            f"{wanted} leaves no room for a prompt in the model's context of {context} tokens; "
            f"write {max(1, context // 2)} or so",
        )


def context_of(folder: Path) -> int | None:
    """Tokens that a model in `folder` takes, from its config; None where that does not tell."""
    config = _json_of(folder / "config.json")
    text = config.get("text_config")
    context = (text if isinstance(text, dict) else config).get("max_position_embeddings")
    return context if isinstance(context, int) else None


def _json_of(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
