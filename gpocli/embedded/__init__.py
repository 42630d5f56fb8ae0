"""What a run uses when it names neither a model nor data: a tiny model, a task, and settings that suit both.

Light to import; the weights are read by whoever loads `MODEL_PATH`.
"""

from pathlib import Path

from gpocli.embedded.folder import EMBEDDED, MODEL_PATH, is_adapter, model_folder, why_no_model

DEFAULTS_PATH = Path(__file__).parent / "defaults.yaml"
"""The layer of the run spec that the embedded default puts under the user's own."""

__all__ = ["DEFAULTS_PATH", "EMBEDDED", "MODEL_PATH", "is_adapter", "model_folder", "why_no_model"]
