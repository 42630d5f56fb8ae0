"""What the name of a model means on this disk: the embedded model, a folder, or the final model of a run."""

from pathlib import Path

EMBEDDED = "embedded"
"""What a spec calls the model, and the data, that ship in the package."""

MODEL_PATH = Path(__file__).parent / "model"
"""Folder with the model and its tokenizer, as `from_pretrained` takes it."""

_CONFIGS = ("config.json", "adapter_config.json")
_SIGNS = ("spec.yaml", "run.lock", "run.json")


def model_folder(name: str) -> Path:
    """The folder that a model's name means, if it is not a hub id; for a run directory that of its final model."""
    if name == EMBEDDED:
        return MODEL_PATH
    folder = Path(name).expanduser()
    return folder / "model" if not _holds_model(folder) and _is_saved(folder / "model") else folder


def why_no_model(name: str) -> str | None:
    """What to say of a run that is named as a model and has no final one; None for anything else."""
    folder = model_folder(name)
    if name == EMBEDDED or _holds_model(folder) or not any((folder / sign).is_file() for sign in _SIGNS):
        return None
    said = f"'{name}' is a run that has no final model (it goes on, or ended early)"
    checkpoints = _checkpoints(folder)
    if not checkpoints:
        return f"{said}, and no checkpoint; go on with it: gpo train NAME --resume --out {name.rstrip('/')}"
    more = f" (the last of {len(checkpoints)})" if len(checkpoints) > 1 else ""
    return f"{said}; name a checkpoint: {checkpoints[-1]}{more}"


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds an adapter rather than a whole model."""
    return (folder / "adapter_config.json").is_file() and not (folder / "config.json").is_file()


def _holds_model(folder: Path) -> bool:
    return any((folder / config).is_file() for config in _CONFIGS)


def _is_saved(folder: Path) -> bool:
    """Whether a run has saved its model to the last file."""
    return _holds_model(folder) and (folder / "training_args.bin").is_file()


def _checkpoints(run: Path) -> list[Path]:
    """The checkpoints that were once whole, by their steps."""
    found = [one.parent for one in run.glob("checkpoints/checkpoint-*/manifest.json") if _step(one.parent).isdigit()]
    return sorted((one for one in found if _holds_model(one)), key=lambda one: int(_step(one)))


def _step(checkpoint: Path) -> str:
    return checkpoint.name.removeprefix("checkpoint-")
