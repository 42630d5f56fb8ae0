"""A run spec in TRL's words: the options of the trainer config."""

from pathlib import Path
from typing import Any

from gpocli.errors import EnvironmentFault
from gpocli.settings.setting import passed_on
from gpocli.spec import RunSpec
from gpocli.spec.batch import BatchPlan

EVAL_BATCH = 64

DEFAULTS = {"logging_first_step": True, "disable_tqdm": True, "model_init_kwargs": None}
EVALUATION = {"eval_on_start": True, "num_generations_eval": 1, "per_device_eval_batch_size": EVAL_BATCH}
"""Where TRL's own default does not suit gpo; a spec may say otherwise under `trl`."""


def trainer_options(spec: RunSpec, plan: BatchPlan, output_dir: Path, device_type: str) -> dict[str, Any]:
    """The keyword arguments of the algorithm's config for a run; `device_type` is "cpu", "cuda" or "mps"."""
    options = {
        **DEFAULTS,
        **({} if spec.run.eval_every is None else EVALUATION),
        **_precision(spec, device_type),
        "output_dir": str(output_dir),
        "per_device_train_batch_size": plan.micro_batch,
        "gradient_accumulation_steps": plan.accumulation,
        "steps_per_generation": plan.steps_per_generation,
        **spec.trl,  # of this and what follows no two have the same option: such a spec is refused
        **passed_on(spec),
        **spec.extension.options,
    }
    # last, so that a part of a mapping goes into the one that stands under `trl`
    for path in [name for name in options if "." in name]:
        whole, _, part = path.partition(".")
        options[whole] = {**(options.get(whole) or {}), part: options.pop(path)}
    return options


def _precision(spec: RunSpec, device_type: str) -> dict[str, Any]:
    """Mixed precision where the device has it: bfloat16 on a GPU unless another type is asked for, float32 on a CPU."""
    dtype = spec.model.dtype
    if device_type == "cpu":
        if dtype == "float16":
            raise EnvironmentFault("model.dtype is float16, which needs a GPU to train; write float32 or bfloat16")
        return {"use_cpu": True, "bf16": dtype == "bfloat16", "fp16": False}
    if dtype == "float16" or spec.trl.get("fp16"):  # transformers refuses both at once
        return {"bf16": False, "fp16": True}
    return {"bf16": dtype != "float32" and device_type == "cuda", "fp16": False}
