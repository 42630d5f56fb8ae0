"""What a run uses when it names neither a model nor data: a tiny model, a task, and settings that suit both.

Light to import; the weights are read by whoever loads `MODEL_PATH`.
"""

from pathlib import Path

EMBEDDED = "embedded"
"""What a spec calls the model, and the data, that ship in the package."""

MODEL_PATH = Path(__file__).parent / "model"
"""Folder with the model and its tokenizer, as `from_pretrained` takes it."""

DEFAULTS_PATH = Path(__file__).parent / "defaults.yaml"
"""The layer of the run spec that the embedded default puts under the user's own."""


def model_folder(name: str) -> Path:
    """The folder that a model's name means, if it is not a hub id."""
    return MODEL_PATH if name == EMBEDDED else Path(name).expanduser()
