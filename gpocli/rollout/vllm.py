"""Sampling groups inside vLLM's own engine: one request a candidate, and those that lose the race are aborted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gpocli.errors import EnvironmentFault
from gpocli.rollout.race import Board


@dataclass(frozen=True, slots=True)
class EngineCount:
    """What the engine did: its steps, and the tokens that they made, those of lost candidates included."""

    steps: int
    tokens: int


@dataclass(slots=True)
class Answer:
    """The completion of one request, in the shape in which TRL reads what `LLM.generate` returns."""

    prompt_token_ids: list[int]
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[Any] = field(default_factory=list)

    @property
    def outputs(self) -> "list[Answer]":
        """One completion a request."""
        return [self]


def generate_groups(
    engine: Any,
    prompts: Sequence[Any],
    params: Any,
    board: Board,
    seeds: Sequence[int],
    end_token_ids: Sequence[int],
    adapter: Any = None,
) -> tuple[list[Answer], EngineCount]:
    """Complete each prompt as its row on the board, with a seed of its own, and abort the rows that are lost.

    `engine` is vLLM's `LLMEngine`, `params` its `SamplingParams` for all rows, `adapter` a `LoRARequest` for them.
    Rows share the blocks of a common prompt by vLLM's prefix cache. Candidates are compared by their numbers of tokens
    (see `Board`), so that what is kept does not depend on how the engine schedules them.

    Raises `EnvironmentFault` when the engine ends a request for another reason than its end or its limit.
    """
    answers = [Answer(list(prompt["prompt_token_ids"])) for prompt in prompts]
    steps = tokens = 0
    try:
        for row, (prompt, seed) in enumerate(zip(prompts, seeds, strict=True)):
            engine.add_request(str(row), prompt, _of_row(params, seed, end_token_ids), lora_request=adapter)
        while board.num_running:
            outputs = engine.step()
            steps += 1
            lost: list[int] = []
            for output in outputs:
                (made,) = output.outputs
                row = int(output.request_id)
                tokens += len(made.token_ids)
                _refuse_fault(made.finish_reason)
                if board.running[row]:  # else it lost in this very step
                    answers[row].token_ids += made.token_ids
                    answers[row].logprobs += made.logprobs or []
                    lost += board.take(row, answers[row].token_ids, ended=output.finished)
            engine.abort_request([str(row) for row in lost])
    finally:
        engine.abort_request([str(row) for row in range(len(prompts)) if board.running[row]])
    return answers, EngineCount(steps, tokens)


def _of_row(params: Any, seed: int, end_token_ids: Sequence[int]) -> Any:
    from vllm.sampling_params import RequestOutputKind

    own = params.clone()
    own.seed, own.output_kind = seed, RequestOutputKind.DELTA
    # Exactly the tokens that end a completion for the trainer, whatever the files of the model say.
    own.ignore_eos, own.stop_token_ids = True, sorted({*end_token_ids, *(own.stop_token_ids or ())})
    own.detokenize = bool(own.stop)
    return own


def _refuse_fault(finish_reason: str | None) -> None:
    if finish_reason not in (None, "stop", "length"):
        raise EnvironmentFault(
            f"vLLM ended a completion with '{finish_reason}' instead of its end or its limit: see vLLM's own lines; "
            "use another sampling.engine if it stays so"
        )
