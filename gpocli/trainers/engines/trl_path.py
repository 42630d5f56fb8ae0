"""TRL's own generation: transformers' generate, vLLM, and whatever TRL adds."""

from collections.abc import Callable, Collection
from typing import Any

from gpocli.rollout import Rollout, SamplingRequest
from gpocli.rollout.loop import evaluation_mode

NAME = "generate"
Parent = Callable[[], tuple[list[list[int]], Any]]


def why_not(trainer: Any) -> str | None:
    """It always can."""
    return None


def sample(trainer: Any, request: SamplingRequest, parent: Parent) -> Rollout:
    """What TRL sampled; the log-probabilities are those of vLLM, and there is no race."""
    with evaluation_mode(trainer.accelerator.unwrap_model(trainer.model)):  # TRL leaves dropout on
        completion_ids, logps = parent()
    return as_rollout(completion_ids, trainer.eos_token_ids, logps)


def as_rollout(completion_ids: list[list[int]], end_token_ids: Collection[int], logps: Any = None) -> Rollout:
    """Completions of which only the tokens are known: the last one tells whether a row ended or was cut."""
    finished = [bool(ids) and ids[-1] in end_token_ids for ids in completion_ids]
    return Rollout(completion_ids, finished, [False] * len(completion_ids), logps)
