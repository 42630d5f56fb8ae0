"""A run spec in TRL's words: the options of the trainer config."""

from pathlib import Path
from typing import Any

from gpocli.errors import EnvironmentFault
from gpocli.spec import RunSpec
from gpocli.spec.batch import BatchPlan

EVAL_BATCH = 64
NEVER = 10**9


def trainer_options(spec: RunSpec, plan: BatchPlan, output_dir: Path, device_type: str) -> dict[str, Any]:
    """The keyword arguments of `GFPOConfig` or `GMPOConfig` for a run; `device_type` is "cpu", "cuda" or "mps"."""
    run, optim = spec.run, spec.optim
    return {
        "output_dir": str(output_dir),
        "seed": run.seed,
        "max_steps": -1 if run.steps is None else run.steps,
        "num_train_epochs": 1.0 if run.epochs is None else run.epochs,
        "logging_steps": run.log_every,
        "logging_first_step": True,
        "save_strategy": "steps",  # which saves after the last step too
        "save_steps": run.save_every or NEVER,
        "save_total_limit": run.keep_checkpoints,
        "report_to": list(run.trackers) or "none",
        "disable_tqdm": True,
        "learning_rate": optim.learning_rate,
        "lr_scheduler_type": optim.schedule,
        "warmup_steps": optim.warmup_steps,
        "weight_decay": optim.weight_decay,
        "max_grad_norm": optim.max_grad_norm,
        "optim": optim.optimizer,
        "gradient_checkpointing": optim.gradient_checkpointing,
        "per_device_train_batch_size": plan.micro_batch,
        "gradient_accumulation_steps": plan.accumulation,
        "steps_per_generation": plan.steps_per_generation,
        "num_iterations": plan.iterations,
        "num_generations": plan.candidates_per_prompt,
        "reward_weights": [reward.weight for reward in spec.rewards],
        "shuffle_dataset": spec.data.shuffle,
        **_evaluation(spec),
        **_sampling(spec),
        **_algorithm(spec),
        **_model(spec),
        **_precision(spec, device_type),
        **spec.trl,
        **spec.extension.options,
    }


def _evaluation(spec: RunSpec) -> dict[str, Any]:
    if spec.run.eval_every is None:
        return {"eval_strategy": "no"}
    return {
        "eval_strategy": "steps",
        "eval_steps": spec.run.eval_every,
        "eval_on_start": True,
        "num_generations_eval": 1,
        "per_device_eval_batch_size": EVAL_BATCH,
    }


def _sampling(spec: RunSpec) -> dict[str, Any]:
    sampling = spec.sampling
    return {
        "max_completion_length": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "repetition_penalty": sampling.repetition_penalty,
        "use_vllm": sampling.engine == "vllm",
        "use_transformers_continuous_batching": sampling.engine == "continuous",
        "rollout": sampling.engine if sampling.engine in ("race", "generate") else "auto",
    }


_OF_ALGORITHM = {"keep": "num_remains_in_group", "mask_truncated": "mask_truncated_completions"}
"""TRL's names for settings of an algorithm, where they are not ours."""


def _algorithm(spec: RunSpec) -> dict[str, Any]:
    given = spec.algorithm.model_dump(exclude={"type", "group_size", "filters"})
    return {_OF_ALGORITHM.get(name, name): value for name, value in given.items()}


def _model(spec: RunSpec) -> dict[str, Any]:
    model = spec.model
    init: dict[str, Any] = {}
    if model.dtype != "auto":
        init["dtype"] = model.dtype
    if model.revision is not None:
        init["revision"] = model.revision
    if model.attention is not None:
        init["attn_implementation"] = model.attention
    return {"model_init_kwargs": init or None, "trust_remote_code": model.trust_remote_code}


def _precision(spec: RunSpec, device_type: str) -> dict[str, Any]:
    """Mixed precision where the device has it: bfloat16 on a GPU unless another type is asked for, float32 on a CPU."""
    dtype = spec.model.dtype
    if device_type == "cpu":
        if dtype == "float16":
            raise EnvironmentFault("model.dtype is float16, which needs a GPU to train; write float32 or bfloat16")
        return {"use_cpu": True, "bf16": dtype == "bfloat16", "fp16": False}
    if dtype == "float16":
        return {"bf16": False, "fp16": True}
    return {"bf16": dtype != "float32" and device_type == "cuda", "fp16": False}
