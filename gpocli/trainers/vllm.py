"""What gpo asks of TRL's colocated vLLM beyond what TRL does, and what no vLLM can be asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from trl.generation import vllm_generation
from trl.trainer import grpo_trainer

from gpocli.errors import SpecError
from gpocli.rollout.generation_config import changes_what_is_drawn
from gpocli.rollout.support import base_model
from gpocli.trainers.adapter_generation import AdapterGeneration, engine_options
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.engines.loop import why_not_single_turn

_OF_A_ROW = {
    "n": "each candidate is a request of its own",
    "seed": "each candidate has a seed of its own, made from the run's",
    "output_kind": "races need each token as it is drawn",
}


@contextmanager
def suited_engine(args: GroupConfig) -> Iterator[None]:
    """While TRL builds its colocated backend: an engine with room for all G candidates, of the trainer's own dtype.

    TRL counts the rows that are trained on, so that k of G would run at a time; and vLLM computes in 16 bits what it
    finds in 32, also where the trainer does not.
    """
    backend, engine = grpo_trainer.VLLMGeneration, getattr(vllm_generation, "LLM", None)
    if engine is None or not args.use_vllm or args.vllm_mode != "colocate":
        yield
        return
    keep = args.num_remains_in_group or args.num_generations

    is_adapter_alone = args.vllm_sync == "lora"

    def suited(*, model: Any, max_num_seqs: int, **options: Any) -> Any:
        more = engine_options(model) if is_adapter_alone else {}
        vllm_generation.LLM = partial(engine, dtype=_dtype(model, args), **more)
        made = AdapterGeneration if is_adapter_alone else backend
        return made(model=model, max_num_seqs=max_num_seqs // keep * args.num_generations, **options)

    grpo_trainer.VLLMGeneration = suited
    try:
        yield
    finally:
        grpo_trainer.VLLMGeneration, vllm_generation.LLM = backend, engine


def _dtype(model: Any, args: GroupConfig) -> torch.dtype | str:
    if getattr(model, "is_quantized", False):
        return "auto"
    weights: torch.dtype = next(model.parameters()).dtype
    return torch.bfloat16 if args.bf16 else torch.float16 if args.fp16 else weights


def refuse_what_vllm_would_drop(trainer: Any) -> None:
    """Raise `SpecError` for settings that would not reach vLLM, or that gpo sets a row."""
    for name, reason in _OF_A_ROW.items():
        if name in (trainer.args.generation_kwargs or {}):
            raise SpecError(f"generation_kwargs.{name} does not work with vLLM: {reason}; leave it out")
    if trainer.vllm_mode == "colocate" and trainer.args.vllm_sync == "lora":
        _refuse_what_needs_all_weights(trainer)
    config = base_model(trainer.accelerator.unwrap_model(trainer.model)).generation_config
    for name in changes_what_is_drawn(config):
        raise SpecError(
            f"vLLM would drop {name} of the model's generation_config: take it out of its generation_config.json, or "
            "use sampling.engine: generate"
        )


def _refuse_what_needs_all_weights(trainer: Any) -> None:
    all_weights = "leave it out, or write sampling.vllm: null, which sends all weights"
    if trainer.args.vllm_enable_sleep_mode:
        raise SpecError(
            "vllm_enable_sleep_mode drops the engine's weights, and sampling.vllm.sync: lora sends the adapter alone; "
            + all_weights
        )
    if reason := why_not_single_turn(trainer):
        raise SpecError(f"sampling.vllm.sync: lora does not work in the training process: {reason}; {all_weights}")
