"""transformers' continuous batching, with races."""

from dataclasses import replace
from typing import Any

from gpocli.rollout import Rollout, SamplingRequest
from gpocli.rollout.continuous import sample_groups_continuously
from gpocli.trainers.engines import loop
from gpocli.trainers.gathering import spread_by


def why_not(trainer: Any) -> str | None:
    """Why continuous batching does not sample for this trainer."""
    if not trainer.use_transformers_continuous_batching:
        return "use_transformers_continuous_batching does not ask for it"
    if (kind := spread_by(trainer)) is not None:
        return f"{kind} spreads the weights"
    return loop.why_not_settings(trainer)


why_not_this = loop.why_not_this


def sample(trainer: Any, request: SamplingRequest, parent: Any) -> Rollout:
    """The completions of a request, drawn from one stream a process."""
    model = trainer.accelerator.unwrap_model(trainer.model_wrapped, keep_torch_compile=False)
    request = replace(request, seed=request.seed + trainer.accelerator.process_index)
    return sample_groups_continuously(model, request, trainer.continuous_batching_config)
