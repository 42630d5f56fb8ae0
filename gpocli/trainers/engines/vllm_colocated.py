"""vLLM in the training process, with races: gpo drives the engine where TRL calls `LLM.generate`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch

from gpocli.errors import SpecError
from gpocli.rollout import Race, Rollout, SamplingRequest
from gpocli.rollout.vllm import Answer, EngineCount, generate_groups
from gpocli.trainers.adapter_generation import AdapterGeneration
from gpocli.trainers.engines import loop


def why_not(trainer: Any) -> str | None:
    """Why the vLLM of this process does not sample for this trainer."""
    if not trainer.use_vllm or trainer.vllm_mode != "colocate":
        return "no vLLM in the training process is asked for"
    return loop.why_not_single_turn(trainer)


def why_not_this(trainer: Any, request: SamplingRequest) -> str | None:
    """It serves every request that fits into the context of its engine."""
    context = trainer.vllm_generation.llm.llm_engine.model_config.max_model_len
    longest = max(map(len, request.prompts_P), default=0)
    if longest >= context:
        raise SpecError(
            f"a prompt has {longest:,} tokens and vLLM's context {context:,}: raise trl.vllm_max_model_length, or set "
            "data.max_prompt_tokens"
        )
    return None


def sample(trainer: Any, request: SamplingRequest, parent: Callable[[], tuple[list[list[int]], Any]]) -> Rollout:
    """The completions of a request. TRL brings the weights over, wakes the engine and lets it sleep.

    Rows have seeds of their own, by their number among all rows. The engine adds numbers in an order that depends on
    which rows it decodes together: a token that is nearly as likely as another one may differ because of that.
    """
    drive = _Drive(trainer, request)
    with _in_place_of_generate(trainer.vllm_generation.llm, drive.generate):
        _, logps = parent()
    return drive.rollout(logps)


class _Drive:
    """One generation of the ranks that share an engine: all of them decide alike, from the same tokens and scores."""

    def __init__(self, trainer: Any, request: SamplingRequest) -> None:
        self._trainer = trainer
        self._engine = trainer.vllm_generation.llm.llm_engine
        self._request = request
        self._rows = len(request.prompts_P) * request.group_size
        ranks = trainer.vllm_generation.tensor_parallel_size
        # Ranks that share an engine follow each other, and it is given the rows of all of them.
        self._place = trainer.accelerator.process_index % ranks
        self._ranks = trainer.vllm_generation.tp_group if ranks > 1 else None
        self._first_row = request.first_row - self._place * self._rows
        self._first_rank = trainer.accelerator.process_index - self._place
        self._device = trainer.accelerator.device

    def generate(self, prompts: Sequence[Any], sampling_params: Any, **_: Any) -> list[Answer]:
        """What TRL calls in place of `LLM.generate`."""
        request = self._request
        self._board = replace(
            request,
            prompts_P=[prompt["prompt_token_ids"] for prompt in prompts[:: request.group_size]],
            race=None if request.race is None else self._shared(request.race),
        ).board()
        seeds = [request.row_seed(self._first_row + row) for row in range(len(prompts))]
        ends = request.settings.eos_token_ids
        backend = self._trainer.vllm_generation
        adapter = backend.bring(self._trainer) if isinstance(backend, AdapterGeneration) else None
        answers, self._count = generate_groups(
            self._engine, prompts, sampling_params, self._board, seeds, ends, adapter
        )
        return answers

    def rollout(self, logps: list[list[float]]) -> Rollout:
        """The rows of this process, with the log-probabilities that TRL read for them."""
        board, start = self._board, self._place * self._rows
        own = slice(start, start + self._rows)
        count: EngineCount = self._count
        return Rollout(
            board.completion_ids[own],
            board.finished[own],
            board.lost[own],
            logps,
            {row - start: score for row, score in board.scores.items() if start <= row < start + self._rows},
            count.steps,
            count.tokens,
            self._engine.model_config.dtype,
        )

    def _shared(self, race: Race) -> Race:
        """The race over the rows of all ranks: each scores its own, whose data it has, and tells the others."""
        if self._ranks is None:
            return race

        def score(row: int, ids: list[int], finished: bool) -> tuple[float, ...] | None:
            owner, own_row = divmod(row, self._rows)
            told = [race.score(own_row, ids, finished) if owner == self._place else None]
            torch.distributed.broadcast_object_list(
                told, src=self._first_rank + owner, group=self._ranks, device=self._device
            )
            return told[0]

        return replace(race, score=score)


@contextmanager
def _in_place_of_generate(llm: Any, generate: Callable[..., list[Answer]]) -> Iterator[None]:
    llm.generate = generate
    try:
        yield
    finally:
        del llm.generate
