"""What gpo asks of TRL's vLLM backend beyond what TRL does: room for all candidates, and nothing dropped in silence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from trl.trainer import grpo_trainer

from gpocli.errors import SpecError
from gpocli.rollout.generation_config import changes_what_is_drawn
from gpocli.rollout.support import base_model
from gpocli.trainers.config import GroupConfig

_OF_A_ROW = {
    "n": "each candidate is a request of its own",
    "seed": "each candidate has a seed of its own, made from the run's",
    "output_kind": "races need each token as it is drawn",
}


@contextmanager
def room_for_candidates(args: GroupConfig) -> Iterator[None]:
    """While TRL builds its backend: the engine holds all G candidates of a group at once, where TRL counts the k."""
    backend = grpo_trainer.VLLMGeneration
    keep = args.num_remains_in_group or args.num_generations

    def sized(*, max_num_seqs: int, **options: Any) -> Any:
        return backend(max_num_seqs=max_num_seqs // keep * args.num_generations, **options)

    grpo_trainer.VLLMGeneration = sized
    try:
        yield
    finally:
        grpo_trainer.VLLMGeneration = backend


def refuse_what_vllm_would_drop(trainer: Any) -> None:
    """Raise `SpecError` for settings that would not reach vLLM, or that gpo sets a row."""
    for name, reason in _OF_A_ROW.items():
        if name in (trainer.args.generation_kwargs or {}):
            raise SpecError(f"generation_kwargs.{name} does not work with vLLM: {reason}; leave it out")
    config = base_model(trainer.accelerator.unwrap_model(trainer.model)).generation_config
    for name in changes_what_is_drawn(config):
        raise SpecError(
            f"vLLM would drop {name} of the model's generation_config: take it out of its generation_config.json, or "
            "use sampling.engine: generate"
        )
