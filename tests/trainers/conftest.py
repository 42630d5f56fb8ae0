"""Trainers on a tiny model, ready to step."""

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from transformers import AutoTokenizer, GenerationConfig, GPT2Config, GPT2LMHeadModel
from trl.trainer.utils import create_model_from_path

from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer
from tests.serving.stand_in import running


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
    "max_steps": 2,
    "logging_steps": 1,
    "save_strategy": "no",
    "report_to": "none",
    "disable_tqdm": True,
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "seed": 3,
}


@pytest.fixture(scope="session")
def learned_positions(tiny_model: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny GPT-2, whose positions are learned and absolute, with the tiny tokenizer."""
    folder = tmp_path_factory.mktemp("gpt2")
    torch.manual_seed(1)
    config = GPT2Config(
        vocab_size=44,
        n_positions=128,
        n_embd=16,
        n_layer=2,
        n_head=2,
        eos_token_id=1,
        bos_token_id=None,
        pad_token_id=0,
        resid_pdrop=0.0,  # dropout draws by column
        embd_pdrop=0.0,
        attn_pdrop=0.0,
    )
    model = GPT2LMHeadModel(config)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 1, 0
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def loaded(tiny_model: str) -> dict[str, Any]:
    """The tiny model and its tokenizer as TRL loads them; copies of them take a tenth of the time."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_model, truncation_side="left", padding_side="left")
    return {"model": create_model_from_path(tiny_model), "processing_class": tokenizer}


@pytest.fixture
def make_trainer(tiny_model: str, loaded: dict[str, Any], tmp_path: Path):
    """`make_trainer(trainer_class, config_class, rewards=..., filter=..., **options)`; by default on `loaded`."""

    def make(trainer_class: type, config_class: type, rewards: Any = count_a, data: Any = None, **options: Any):
        arguments = ("group_filter_func", "peft_config", "eval_dataset", "processing_class")
        kwargs = {name: options.pop(name) for name in arguments if name in options}
        if "model_init_kwargs" in options:
            kwargs["model"] = options.pop("model", tiny_model)
        elif "model" in options:
            kwargs["model"] = options.pop("model")
        else:
            kwargs = deepcopy(loaded) | kwargs
        config = config_class(output_dir=str(tmp_path / "out"), **(BASE | options))
        return trainer_class(
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


@pytest.fixture
def model_that_wants(tiny_model: str, tmp_path: Path):
    """`model_that_wants(**fields)`: the folder of the tiny model with these fields in its `generation_config.json`."""

    def make(**fields: Any) -> str:
        shutil.copytree(tiny_model, tmp_path / "wants")
        given = GenerationConfig(eos_token_id=1, pad_token_id=0, **fields)
        (tmp_path / "wants" / "generation_config.json").write_text(json.dumps(given.to_dict()))
        return str(tmp_path / "wants")

    return make


@pytest.fixture
def stand_in(tiny_model: str):
    """What speaks vLLM's protocol, with the tiny model."""
    with running(tiny_model) as server:
        yield server


@pytest.fixture
def served(gfpo, stand_in):
    """`served(**options)`: a small `gfpo` that samples from `stand_in`, with what it notes in `notes`."""

    def make(**options: Any) -> GFPOTrainer:
        defaults = {
            "use_vllm": True,
            "vllm_mode": "server",
            "vllm_server_base_url": stand_in.url,
            "vllm_sync": "plugin",
            "vllm_server_timeout": 0,
            "vllm_reconnect": 0,
            "gradient_accumulation_steps": 1,
            "max_completion_length": 6,
            "max_steps": 1,
        }
        trainer = gfpo(**(defaults | options))
        trainer.notes = []
        trainer.on_note = trainer.notes.append
        return trainer

    return make
