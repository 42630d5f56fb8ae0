"""TRL's own generation: transformers' generate, vLLM, and whatever TRL adds."""

from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import Any

from transformers import GenerationConfig

from gpocli.errors import SpecError
from gpocli.rollout import Rollout, SamplingRequest
from gpocli.rollout.generation_config import NOT_ON_TRLS_PATH, changes_what_is_drawn, not_on_trls_path, unknown
from gpocli.rollout.loop import evaluation_mode
from gpocli.rollout.support import base_model

Parent = Callable[[], tuple[list[list[int]], Any]]


def why_not(trainer: Any) -> str | None:
    """It always can."""
    return None


def why_not_this(trainer: Any, request: SamplingRequest) -> str | None:
    """It always can."""
    return None


def settle(trainer: Any) -> None:
    """Let the run's min_p win over the model's, which `generate` takes where TRL leaves it unset because it is off."""
    if not trainer.use_vllm and trainer.generation_config.min_p is None and _of_the_model(trainer).min_p is not None:
        trainer.generation_config.min_p = 0.0


def refuse_what_generate_cannot(trainer: Any) -> None:
    """Raise `SpecError` for what `generate`, called as TRL calls it, would fail at or pass over."""
    if trainer.use_vllm:
        return
    options, config = trainer.args.generation_kwargs or {}, _of_the_model(trainer)
    for name in unknown(options):
        near = get_close_matches(name, vars(config), 1)
        hint = f"did you mean '{near[0]}'?" if near else "leave it out"
        raise SpecError(f"generation_kwargs.{name} is no option of transformers' generate; {hint}")
    for name in not_on_trls_path(options):
        raise SpecError(f"generation_kwargs.{name} does not work: {NOT_ON_TRLS_PATH[name]}; leave it out")
    for name in not_on_trls_path(vars(config)):
        raise SpecError(
            f"the model's generation_config sets {name}, which does not work: {NOT_ON_TRLS_PATH[name]}; take it out of "
            "its generation_config.json"
        )
    if trainer.use_transformers_continuous_batching:
        for name in changes_what_is_drawn(GenerationConfig(**options)) or changes_what_is_drawn(config):
            raise SpecError(f"transformers' continuous batching would drop {name}: use sampling.engine: generate")


def _of_the_model(trainer: Any) -> GenerationConfig:
    config: GenerationConfig = base_model(trainer.accelerator.unwrap_model(trainer.model)).generation_config
    return config


def sample(trainer: Any, request: SamplingRequest, parent: Parent) -> Rollout:
    """What TRL sampled; the log-probabilities are those of vLLM, and there is no race."""
    with evaluation_mode(trainer.accelerator.unwrap_model(trainer.model)):  # TRL leaves dropout on
        completion_ids, logps = parent()
    return as_rollout(completion_ids, trainer.eos_token_ids, logps)


def as_rollout(completion_ids: list[list[int]], end_token_ids: Collection[int], logps: Any = None) -> Rollout:
    """Completions of which only the tokens are known: the last one tells whether a row ended or was cut."""
    finished = [bool(ids) and ids[-1] in end_token_ids for ids in completion_ids]
    return Rollout(completion_ids, finished, [False] * len(completion_ids), logps)
