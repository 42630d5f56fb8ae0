"""What a training run imports, for the process that test commands are forked from."""

import functools
import gc
import os

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
os.environ["TORCH_CPP_LOG_LEVEL"] = "ERROR"

import accelerate.utils.imports
import pyarrow.parquet
import pydantic
import ruamel.yaml
import torch
import transformers.models.qwen3.modeling_qwen3
import typer
from transformers.conversion_mapping import get_checkpoint_conversion_mapping
from trl import GRPOConfig, GRPOTrainer

import gpocli.builtin.plugin
import gpocli.cli.main
import gpocli.trainers.gfpo
import gpocli.trainers.gmpo
import gpocli.training.run
from gpocli.spec import RunSpec

torch.set_num_threads(1)
# What is made once in a process, when it is first asked for: a thousand patterns of names of weights, and validators.
get_checkpoint_conversion_mapping("qwen3")
RunSpec.model_validate({}).model_dump(mode="json")
looks = accelerate.utils.imports
looks._is_package_available = functools.cache(looks._is_package_available)
looks.is_peft_available()
gc.freeze()  # what is imported here is not gone through again in every command
__all__ = ["GRPOConfig", "GRPOTrainer", "gpocli", "pyarrow", "pydantic", "ruamel", "torch", "transformers", "typer"]
