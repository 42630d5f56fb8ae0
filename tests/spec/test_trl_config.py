"""What the trainer config gets for a spec, to the letter; and that nobody can change it from another place."""

from pathlib import Path
from typing import Any

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.settings.section import Section
from gpocli.spec import RunSpec
from gpocli.spec.algorithms import algorithms
from gpocli.spec.batch import solve
from gpocli.spec.fields import settings
from gpocli.spec.trl_config import DEFAULTS, EVALUATION, trainer_options


def options(device_type: str = "cpu", **sections: Any) -> dict[str, Any]:
    """The options for a spec with these sections."""
    spec = RunSpec.model_validate(sections)
    return trainer_options(spec, solve(spec), Path("out"), device_type)


GFPO = {
    "output_dir": "out",
    "seed": 0,
    "max_steps": 100,
    "num_train_epochs": 1.0,
    "logging_steps": 1,
    "logging_first_step": True,
    "save_strategy": "steps",
    "save_steps": 10**9,
    "save_total_limit": 2,
    "report_to": "none",
    "disable_tqdm": True,
    "learning_rate": 1e-6,
    "lr_scheduler_type": "constant",
    "warmup_steps": 0,
    "weight_decay": 0.0,
    "max_grad_norm": 1.0,
    "optim": "adamw_torch",
    "gradient_checkpointing": False,
    "per_device_train_batch_size": 16,
    "gradient_accumulation_steps": 4,
    "steps_per_generation": 4,
    "num_iterations": 1,
    "num_generations": 24,
    "reward_weights": [1.0],
    "shuffle_dataset": True,
    "eval_strategy": "no",
    "max_completion_length": 1024,
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": None,
    "repetition_penalty": 1.0,
    "use_vllm": False,
    "vllm_mode": "colocate",
    "use_transformers_continuous_batching": False,
    "rollout": "auto",
    "ds3_gather_for_generation": True,
    "num_remains_in_group": 8,
    "race": True,
    "whole_every": 20,
    "divisor": "kept",
    "flat_groups": "train",
    "flat_max_prompts": 4,
    "epsilon": 0.2,
    "epsilon_high": None,
    "beta": 0.001,
    "entropy_coef": 0.001,
    "scale_rewards": "group",
    "mask_truncated_completions": False,
    "model_init_kwargs": None,
    "trust_remote_code": False,
    "use_cpu": True,
    "bf16": False,
    "fp16": False,
    "loss_type": "dapo",
}


def test_the_default_spec():
    assert options() == GFPO


def batch(group_size: int, *, updates: int, micro_batch: int = 16) -> dict[str, Any]:
    """The sizes of 8 prompts a step with `group_size` rows each."""
    accumulation = 8 * group_size // micro_batch
    return {
        "num_generations": group_size,
        "gradient_accumulation_steps": accumulation,
        "steps_per_generation": accumulation * updates,
    }


ALL_KEPT = {"beta": 0.0, "entropy_coef": 0.0, "num_remains_in_group": None}
OF_ALGORITHMS = {
    "gmpo": {
        "loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 0.4, **ALL_KEPT, **batch(8, updates=8)
    },
    "grpo": ALL_KEPT | batch(8, updates=1),
    "gspo": {
        "loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 3e-4, "epsilon_high": 4e-4,
        **ALL_KEPT, **batch(8, updates=4),
    },
    "dr_grpo": {"loss_type": "dr_grpo", "scale_rewards": "none", **ALL_KEPT, **batch(8, updates=1)},
    "dapo": {"epsilon_high": 0.28, **ALL_KEPT, **batch(16, updates=16)},
    "cispo": {"loss_type": "cispo", "epsilon_high": 5.0, **ALL_KEPT, **batch(8, updates=16)},
}  # fmt: skip
"""What differs from the default spec."""

WITHOUT = {"grpo": {"num_remains_in_group", "race", "whole_every"}, "cispo": {"epsilon"}}


@pytest.mark.parametrize("algorithm", OF_ALGORITHMS)
def test_each_algorithm(algorithm):
    missing = {"divisor"} | WITHOUT.get(algorithm, set())
    expected = {name: value for name, value in (GFPO | OF_ALGORITHMS[algorithm]).items() if name not in missing}
    assert options(algorithm={"type": algorithm}) == expected


EVAL = {
    "eval_strategy": "steps", "eval_steps": 5, "eval_on_start": True, "num_generations_eval": 1,
    "per_device_eval_batch_size": 64,
}  # fmt: skip
CASES = [
    ({"algorithm": {"type": "gfpo", "group_size": 16, "keep": 4, "divisor": "group", "epsilon_high": 0.3,
                    "scale_rewards": "batch", "mask_truncated": True}},
     {"num_generations": 16, "num_remains_in_group": 4, "gradient_accumulation_steps": 2, "steps_per_generation": 2,
      "divisor": "group", "epsilon_high": 0.3, "scale_rewards": "batch", "mask_truncated_completions": True}),
    ({"model": {"name": "a/b", "revision": "v2", "attention": "sdpa", "dtype": "bfloat16", "trust_remote_code": True,
                "lora": {"rank": 8}, "quantization": "4bit"}},
     {"model_init_kwargs": {"revision": "v2", "attn_implementation": "sdpa", "dtype": "bfloat16"}, "bf16": True,
      "trust_remote_code": True}),
    ({"model": {"revision": "v2"}, "trl": {"model_init_kwargs": {"low_cpu_mem_usage": True}}},
     {"model_init_kwargs": {"revision": "v2", "low_cpu_mem_usage": True}}),
    ({"run": {"epochs": 2.5, "seed": 7, "save_every": 10, "keep_checkpoints": 4, "log_every": 3,
              "trackers": ["wandb", "mlflow"], "name": "x"}},
     {"num_train_epochs": 2.5, "max_steps": -1, "seed": 7, "save_steps": 10, "save_total_limit": 4,
      "logging_steps": 3, "report_to": ["wandb", "mlflow"]}),
    ({"run": {"eval_every": 5}}, EVAL),
    ({"run": {"eval_every": 5}, "trl": {"num_generations_eval": 4, "eval_on_start": False, "disable_tqdm": False}},
     EVAL | {"num_generations_eval": 4, "eval_on_start": False, "disable_tqdm": False}),
    ({"optim": {"learning_rate": 1e-4, "schedule": "cosine", "warmup_steps": 3, "weight_decay": 0.1,
                "max_grad_norm": 0.0, "optimizer": "sgd", "gradient_checkpointing": True}},
     {"learning_rate": 1e-4, "lr_scheduler_type": "cosine", "warmup_steps": 3, "weight_decay": 0.1,
      "max_grad_norm": 0.0, "optim": "sgd", "gradient_checkpointing": True}),
    ({"sampling": {"temperature": 0.7, "top_p": 0.9, "top_k": 5, "min_p": 0.1, "repetition_penalty": 1.1,
                   "max_tokens": 33, "engine": "race"}},
     {"temperature": 0.7, "top_p": 0.9, "top_k": 5, "min_p": 0.1, "repetition_penalty": 1.1,
      "max_completion_length": 33, "rollout": "race"}),
    ({"sampling": {"engine": "generate"}}, {"rollout": "generate"}),
    ({"sampling": {"engine": "continuous"}}, {"use_transformers_continuous_batching": True}),
    ({"sampling": {"engine": "vllm"}}, {"use_vllm": True}),
    ({"sampling": {"engine": "vllm", "vllm": {"url": "http://gpu7:9000", "sync": "nccl", "folder": "/w", "model": "m",
                                              "wait": 5.0, "reconnect": 7.0, "concurrency": 9}}},
     {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": "http://gpu7:9000", "vllm_sync": "nccl",
      "vllm_folder": "/w", "vllm_served_model": "m", "vllm_server_timeout": 5.0, "vllm_reconnect": 7.0,
      "vllm_concurrency": 9}),
    ({"batch": {"prompts_per_step": 4, "micro_batch": 2, "updates_per_generation": 2, "iterations": 3}},
     {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 16, "steps_per_generation": 32,
      "num_iterations": 3}),
    ({"rewards": ["accuracy", {"name": "exact", "weight": -0.5}], "data": {"shuffle": False}},
     {"reward_weights": [1.0, -0.5], "shuffle_dataset": False}),
    ({"trl": {"adam_beta2": 0.95, "delta": 2.0}}, {"adam_beta2": 0.95, "delta": 2.0}),
]  # fmt: skip


@pytest.mark.parametrize(("sections", "expected"), CASES)
def test_each_section(sections, expected):
    assert options(**sections) == GFPO | expected


@pytest.mark.parametrize(
    ("device_type", "sections", "bf16", "fp16"),
    [
        ("cuda", {}, True, False),
        ("cuda", {"model": {"dtype": "float32"}}, False, False),
        ("cuda", {"model": {"dtype": "bfloat16"}}, True, False),
        ("cuda", {"model": {"dtype": "float16"}}, False, True),
        ("cuda", {"trl": {"bf16": False}}, False, False),
        ("cuda", {"trl": {"fp16": True}}, False, True),
        ("mps", {}, False, False),
        ("mps", {"model": {"dtype": "bfloat16"}}, False, False),
        ("cpu", {"model": {"dtype": "bfloat16"}}, True, False),
    ],
)
def test_precision_by_device(device_type, sections, bf16, fp16):
    found = options(device_type, **sections)
    assert (found["bf16"], found["fp16"], "use_cpu" in found) == (bf16, fp16, device_type == "cpu")


def test_half_precision_needs_a_gpu():
    with pytest.raises(EnvironmentFault):
        options(model={"dtype": "float16"})


OF_THE_DEVICE = {"bf16", "fp16", "use_cpu"}


@pytest.mark.parametrize("algorithm", algorithms())
def test_every_option_is_owned_by_a_setting_or_fixed_by_the_algorithm_or_a_default_of_ours(algorithm):
    found = options(algorithm={"type": algorithm}, run={"eval_every": 5}, model={"revision": "a", "attention": "sdpa"})
    owned = {option for one in settings(algorithm) for option in one.setting.owned}
    owners = {option.partition(".")[0] for option in owned} | algorithms()[algorithm].options.keys()
    assert found.keys() - owners - DEFAULTS.keys() - EVALUATION.keys() == OF_THE_DEVICE
    assert not owned & {*DEFAULTS, *EVALUATION}


@pytest.mark.parametrize("algorithm", algorithms())
def test_every_field_of_an_algorithm_reaches_the_trainer(algorithm):
    """All but its name, and the filters, which are handed over built."""
    section: type[Section] = algorithms()[algorithm].section
    without = {one.path for one in settings(algorithm) if one.path.startswith("algorithm.") and not one.setting.owned}
    assert {path.split(".")[1] for path in without} & section.model_fields.keys() <= {"type", "filters"}
