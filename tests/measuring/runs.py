"""Runs on the embedded model whose final model and checkpoint are that model."""

import shutil
from pathlib import Path
from typing import Any

import yaml

from gpocli.embedded import MODEL_PATH


def make_run(run: Path, **settings: Any) -> str:
    """A run that is done, with a checkpoint of step 5."""
    for place in ("model", "checkpoints/checkpoint-5"):
        shutil.copytree(MODEL_PATH, run / place)
        (run / place / "training_args.bin").touch()
    spec = {"model": {"name": "embedded"}, "sampling": {"max_tokens": 64}, "data": {}, "algorithm": {"type": "gfpo"}}
    (run / "spec.yaml").write_text(yaml.safe_dump(spec | settings))
    return str(run)
