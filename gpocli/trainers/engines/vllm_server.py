"""A vLLM server, with races: one streamed request a candidate, and the connection of a loser is closed."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

import torch

from gpocli.errors import ServerFault, ServerLost, counted
from gpocli.rollout import Rollout, SamplingRequest
from gpocli.serving.completions import Candidate, open_http, stream
from gpocli.trainers.engines import loop

SLOW_AFTER = 60.0
"""Seconds without a token, from one of all candidates, after which a user is told."""
_LOOK = 0.5
_TRIALS_IN_VAIN = 2


def why_not(trainer: Any) -> str | None:
    """Why no vLLM server samples for this trainer."""
    if not trainer.use_vllm or trainer.vllm_mode != "server":
        return "no vLLM server is asked for"
    return loop.why_not_single_turn(trainer)


def why_not_this(trainer: Any, request: SamplingRequest) -> str | None:
    """It serves every request that fits into its context."""
    context = trainer.vllm_generation.served.context
    tokens = max(map(len, request.prompts_P), default=0) + request.settings.max_new_tokens
    if tokens > context:
        raise ServerFault(
            f"the vLLM server at {trainer.vllm_generation.url} has a context of {context:,} tokens, and a prompt with "
            f"its completion takes {tokens:,}; start it with --max-model-len {tokens} or more, lower "
            "sampling.max_tokens, or set data.max_prompt_tokens"
        )
    return None


def sample(trainer: Any, request: SamplingRequest, parent: Callable[[], Any]) -> Rollout:
    """The completions of a request, each process's own; they are the same for any number of processes.

    Rows have seeds of their own, by their number among all rows. The server adds numbers in an order that depends on
    which rows it decodes together: a token that is nearly as likely as another one may differ because of that.
    Raises `ServerFault`, in all processes, for a server that is no use, or does not come back.
    """
    generation = trainer.vllm_generation
    generation.keep_in_step()
    draw, in_vain = Draw(trainer, request), 0
    while (fault := _first_of(trainer._processes.objects([draw.fault_of_a_try()]))) is not None:
        if not isinstance(fault, ServerLost):
            raise fault
        is_progress = bool(trainer._processes.totals(float(draw.has_progressed()))[0])
        in_vain = 0 if is_progress else in_vain + 1
        if in_vain == _TRIALS_IN_VAIN:
            raise ServerFault(f"{fault}; so it did {in_vain} times, at the same place; its log tells why")
        generation.come_back(fault)
        generation.sync_weights()
    stale = trainer._processes.totals(float(draw.stale()))[0]
    mode = "train" if trainer.model.training else "eval"
    trainer._metrics[mode]["sampling/stale_completions"].append(stale)
    return draw.rollout()


def _first_of(faults: list[ServerFault | None]) -> ServerFault | None:
    """The fault of some process, the same in all; one that waiting does not mend comes first."""
    found = [fault for fault in faults if fault is not None]
    return next((fault for fault in found if not isinstance(fault, ServerLost)), found[0] if found else None)


class Draw:
    """The candidates of one request. What has ended stays when the server is lost, and the others start again."""

    def __init__(self, trainer: Any, request: SamplingRequest) -> None:
        self._trainer, self._request = trainer, request
        self._generation = trainer.vllm_generation
        self._board = request.board()
        self._candidates = [Candidate() for _ in range(len(request.prompts_P) * request.group_size)]
        self._running_before = len(self._candidates)
        self._versions: set[str] = set()
        self._vocabulary = int(trainer.model.config.get_text_config().vocab_size)
        self._ends = frozenset(request.settings.eos_token_ids)

    def fault_of_a_try(self) -> ServerFault | None:
        """Draw what is not there yet; returns what kept it from that."""
        self._running_before = self._board.num_running
        self._versions.add(self._generation.served.version)
        try:
            _run(self._draw())
        except BaseExceptionGroup as group:
            faults = _leaves(group)
            for other in faults:
                if not isinstance(other, ServerFault):
                    raise other from None
            return _first_of(faults)
        return None

    def has_progressed(self) -> bool:
        """Whether the last try brought some candidate to its end."""
        return self._board.num_running < self._running_before

    def stale(self) -> int:
        """Candidates that were drawn with other weights than those of this step's pushes."""
        return sum(c.stamp is not None and c.stamp not in self._versions for c in self._candidates)

    def rollout(self) -> Rollout:
        """What was drawn, and all tokens that the server told of."""
        board = self._board
        dtype = getattr(torch, self._generation.served.dtype, None)
        return Rollout(
            board.completion_ids,
            board.finished,
            board.lost,
            [c.logps[: len(ids)] for c, ids in zip(self._candidates, board.completion_ids, strict=True)],
            board.scores,
            decoded_tokens=sum(len(c.tokens) for c in self._candidates),
            dtype=dtype if isinstance(dtype, torch.dtype) else None,
        )

    async def _draw(self) -> None:
        rows = [row for row, runs in enumerate(self._board.running) if runs]
        self._heard = time.monotonic()
        self._slots = asyncio.Semaphore(self._trainer.args.vllm_concurrency)
        http = open_http(self._generation.url, self._trainer.args.vllm_concurrency)
        async with http, asyncio.TaskGroup() as group:
            watch = group.create_task(self._watch())
            self._tasks = {row: group.create_task(self._draw_row(http, row)) for row in rows}
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
            watch.cancel()

    async def _draw_row(self, http: Any, row: int) -> None:
        board = self._board
        async with self._slots, aclosing(stream(http, self._body(row), vocabulary=self._vocabulary)) as told:
            async for candidate in told:
                self._heard = time.monotonic()
                self._candidates[row] = candidate
                has_ended = candidate.reason is not None
                if has_ended:
                    self._refuse_short(row, candidate)
                if has_ended or board.is_race:
                    for lost in board.take(row, candidate.tokens, ended=has_ended):
                        self._tasks[lost].cancel()
                if not board.running[row]:
                    return

    def _body(self, row: int) -> dict[str, Any]:
        request, settings = self._request, self._request.settings
        regex = self._generation.structured_outputs_regex
        return {
            "model": self._generation.served.model,
            "prompt": list(request.prompts_P[row // request.group_size]),
            "max_tokens": settings.max_new_tokens,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "top_k": settings.top_k,
            "min_p": settings.min_p or 0.0,
            "repetition_penalty": settings.repetition_penalty,
            "seed": request.row_seed(request.first_row + row),
            # The end tokens are the trainer's, whatever the files of the server's model say.
            "ignore_eos": True,
            "stop_token_ids": list(settings.eos_token_ids),
            "stream_interval": 1 if self._board.is_race else 32,
            **({"structured_outputs": {"regex": regex}} if regex else {}),
            **self._generation.generation_kwargs,
        }

    def _refuse_short(self, row: int, candidate: Candidate) -> None:
        """Raise for an end that is none: only the limit, an end token or what the user asked for ends a completion."""
        at, count = f"the vLLM server at {self._generation.url}", len(candidate.tokens)
        if candidate.reason == "length" and count < self._request.settings.max_new_tokens:
            raise ServerFault(
                f"{at} cut a completion after {counted(count, 'token')}, where sampling.max_tokens is "
                f"{self._request.settings.max_new_tokens:,}: start it with a longer --max-model-len, and with "
                "--generation-config vllm"
            )
        is_end = bool(candidate.tokens) and candidate.tokens[-1] in self._ends
        if candidate.reason == "stop" and not is_end and not self._generation.generation_kwargs:
            raise ServerFault(
                f"{at} ended a completion after {counted(count, 'token')} without an end token: it serves another "
                "model, or is no vLLM; start the right one with 'gpo serve'"
            )

    async def _watch(self) -> None:
        """Tell of a slow server, and give up one that has been silent for as long as a lost one is waited for."""
        limit, next_word = max(self._trainer.args.vllm_reconnect, SLOW_AFTER), SLOW_AFTER
        while True:
            await asyncio.sleep(_LOOK)
            silent = time.monotonic() - self._heard
            if silent < _LOOK * 2:
                next_word = SLOW_AFTER
            if silent >= limit:
                raise ServerLost(f"the vLLM server at {self._generation.url} has told no token for {silent:.0f} s")
            if silent >= next_word:
                left = counted(self._board.num_running, "completion")
                self._trainer.on_note(
                    f"the vLLM server at {self._generation.url} is slow: no token for {silent:.0f} s, {left} to go"
                )
                next_word *= 2


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end, in a thread where this one has a loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as executor:
        executor.submit(asyncio.run, work).result()


def _leaves(group: BaseExceptionGroup[Any]) -> list[Any]:
    return [
        leaf
        for error in group.exceptions
        for leaf in (_leaves(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]
