"""What a training run imports, for the process that test commands are forked from."""

import gc
import os

os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
os.environ["TORCH_CPP_LOG_LEVEL"] = "ERROR"

import pyarrow.parquet
import pydantic
import ruamel.yaml
import torch
import transformers.models.qwen3.modeling_qwen3
import typer
from trl import GRPOConfig, GRPOTrainer

import gpocli.builtin.plugin
import gpocli.cli.main
import gpocli.trainers.gfpo
import gpocli.trainers.gmpo
import gpocli.training.run

torch.set_num_threads(1)
gc.freeze()  # what is imported here is not gone through again in every command
__all__ = ["GRPOConfig", "GRPOTrainer", "gpocli", "pyarrow", "pydantic", "ruamel", "torch", "transformers", "typer"]
