"""Trainers on a tiny model, ready to step."""

from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset

from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer


def length_filter(group_completions, group_rewards, completion_ids):
    return [[-float(len(ids)) for ids in group] for group in completion_ids]


def count_a(completions, **kwargs):
    return [float(completion.count("a")) for completion in completions]


def prompts(count: int) -> Dataset:
    return Dataset.from_dict({"prompt": [f"say {i}" for i in range(count)], "number": list(range(count))})


BASE: dict[str, Any] = {
    "per_device_train_batch_size": 4,
    "gradient_accumulation_steps": 2,
    "num_generations": 4,
    "max_completion_length": 12,
    "learning_rate": 1e-2,
    "max_steps": 3,
    "logging_steps": 1,
    "save_strategy": "no",
    "report_to": "none",
    "disable_tqdm": True,
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "seed": 3,
}


@pytest.fixture
def make_trainer(tiny_model: str, tmp_path: Path):
    """`make_trainer(trainer_class, config_class, rewards=..., filter=..., **options)`."""

    def make(trainer_class: type, config_class: type, rewards: Any = count_a, data: Any = None, **options: Any):
        arguments = ("group_filter_func", "peft_config", "eval_dataset", "processing_class")
        kwargs = {name: options.pop(name) for name in arguments if name in options}
        model = options.pop("model", tiny_model)
        config = config_class(output_dir=str(tmp_path / "out"), **(BASE | options))
        return trainer_class(
            model=model,
            reward_funcs=rewards,
            args=config,
            train_dataset=prompts(8) if data is None else data,
            **kwargs,
        )

    return make


@pytest.fixture
def gfpo(make_trainer):
    """`gfpo(**options)`: a GFPOTrainer that keeps 2 of 4 by length unless told otherwise."""

    def make(**options: Any) -> GFPOTrainer:
        defaults = {"group_filter_func": length_filter, "num_remains_in_group": 2}
        return make_trainer(GFPOTrainer, GFPOConfig, **(defaults | options))

    return make


@pytest.fixture
def gmpo(make_trainer):
    """`gmpo(**options)`: a GMPOTrainer without a filter."""

    def make(**options: Any) -> GMPOTrainer:
        return make_trainer(GMPOTrainer, GMPOConfig, **options)

    return make
