"""gpo's own decode loop, with shared prefill and races."""

from typing import Any

from gpocli.rollout import Rollout, SamplingRequest, sample_groups, supports
from gpocli.rollout.generation_config import changes_what_is_drawn
from gpocli.rollout.support import base_model, why_rope_changes
from gpocli.trainers.gathering import gathered, why_not_gathered


def why_not(trainer: Any) -> str | None:
    """Why gpo's loop cannot sample for this trainer."""
    reason = why_not_settings(trainer) or why_not_gathered(trainer)
    return reason or supports(trainer.accelerator.unwrap_model(trainer.model))


def why_not_settings(trainer: Any) -> str | None:
    """Which setting of the trainer asks for TRL's own generation."""
    if (reason := why_not_single_turn(trainer)) is not None:
        return reason
    if trainer.use_vllm:
        return "vLLM samples"
    if trainer.args.generation_kwargs or trainer.args.cache_implementation:
        return "generation_kwargs and cache_implementation are options of transformers' generate"
    fields = changes_what_is_drawn(base_model(trainer.accelerator.unwrap_model(trainer.model)).generation_config)
    return f"the model's generation_config sets {', '.join(fields)}" if fields else None


def why_not_single_turn(trainer: Any) -> str | None:
    """Why no engine of gpo samples, whichever it is."""
    if trainer.args.rollout == "generate":
        return "rollout='generate' asks for TRL's own path"
    if trainer.tools or trainer.rollout_func is not None:
        return "tools and rollout functions sample in turns"
    return None


def why_not_this(trainer: Any, request: SamplingRequest) -> str | None:
    """Why gpo's loop would draw this request from another distribution."""
    return why_rope_changes(trainer.accelerator.unwrap_model(trainer.model), request)


def sample(trainer: Any, request: SamplingRequest, parent: Any) -> Rollout:
    """The completions of a request; they are the same for any number of processes."""
    with gathered(trainer) as model:
        return sample_groups(model, request)
