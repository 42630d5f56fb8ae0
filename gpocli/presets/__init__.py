"""The papers' settings as layers of a run spec, one YAML file each.

A file starts with two comment lines: what it is, and `source: ` where its figures are from. What the sources leave
open, and we chose, is marked `ours` in the file.
"""

from dataclasses import dataclass
from pathlib import Path

from gpocli.contracts.nearest import did_you_mean
from gpocli.errors import SpecError

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset by what its first lines say."""

    name: str
    summary: str
    source: str
    path: Path


def preset_names() -> list[str]:
    """The names of all presets, sorted."""
    return sorted(path.name.removesuffix(".yaml") for path in _FOLDER.glob("*.yaml"))


def preset_path(name: str) -> Path:
    """The file of a preset. Raises `SpecError` with the nearest names."""
    if name not in preset_names():
        raise SpecError(f"unknown preset '{name}'; {did_you_mean(name, preset_names())}")
    return _FOLDER / f"{name}.yaml"


def find_preset(name: str) -> Preset:
    """A preset with what it says about itself. Raises `SpecError` with the nearest names."""
    path = preset_path(name)
    summary, source, *_ = path.read_text(encoding="utf-8").splitlines()
    return Preset(name, summary.removeprefix("# "), source.removeprefix("# source: "), path)
