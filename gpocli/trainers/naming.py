"""The output directory of a trainer that was given no config."""

from typing import Any

from trl.trainer.utils import get_config_model_id


def default_output_dir(model: Any, algorithm: str) -> str:
    """`Qwen3-0.6B-GFPO` for the model `Qwen/Qwen3-0.6B`, as TRL names it."""
    model_id = model if isinstance(model, str) else get_config_model_id(model.config)
    return f"{model_id.split('/')[-1]}-{algorithm}"
