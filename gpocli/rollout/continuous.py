"""The race on transformers' continuous batching: rows start and end at different times, lost ones are cancelled."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from typing import Any

import torch
from torch import nn
from transformers import ContinuousBatchingConfig, GenerationConfig

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.rollout.engine import Rollout, evaluation_mode
from gpocli.rollout.race import GroupRanking, Race
from gpocli.rollout.sampling import logits_processors
from gpocli.rollout.settings import SamplingSettings
from gpocli.rollout.support import base_model

_DEFAULT_PAGE = 256
_SECONDS_PER_LOOK = 1.0


@torch.no_grad()
def sample_groups_continuously(
    model: nn.Module,
    prompts_P: Sequence[Sequence[int]],
    num_generations: int,
    settings: SamplingSettings,
    *,
    seed: int,
    race: Race | None = None,
    config: ContinuousBatchingConfig | None = None,
) -> Rollout:
    """`sample_groups` on a `ContinuousBatchingManager`, for long completions and more rows than fit at once.

    The race is exact here too: an ended candidate is compared with what another one with its own number of tokens could
    still get, never by when it ended. But transformers draws the tokens of all rows from one stream, so that a row's
    tokens depend on the others, and how many tokens a lost row had on the timing. `decode_steps` is not known: 0.

    Raises `SpecError` for a setting that continuous batching would drop, `EnvironmentFault` when it stops by itself.
    """
    _refuse_dropped_settings(settings)
    board = _StaggeredBoard(len(prompts_P), num_generations, settings, race)
    config = _sized(config or ContinuousBatchingConfig(), model, prompts_P, num_generations, settings)
    with _manager(model, settings, config, seed) as manager:
        for row in range(len(prompts_P) * num_generations):
            manager.add_request(
                list(prompts_P[row // num_generations]),
                request_id=str(row),
                max_new_tokens=settings.max_new_tokens,
                # Only a race needs to see tokens before a row has ended.
                streaming=board.is_race,
                eos_token_id=list(settings.eos_token_ids),
            )
        # A cancelled request delivers nothing, so the end is told by the board and not by a count of results.
        while board.num_running:
            output = manager.get_result(timeout=_SECONDS_PER_LOOK)
            if output is None:
                if not manager.is_running():
                    raise EnvironmentFault(f"continuous batching stopped: {_fault(manager)}; use another engine")
                continue
            if output.error is not None:
                raise EnvironmentFault(f"continuous batching failed: {output.error}; use another engine")
            for lost in board.take(int(output.request_id), output.generated_tokens, ended=output.is_finished()):
                manager.cancel_request(str(lost))
    tokens = sum(map(len, board.completion_ids))
    return Rollout(board.completion_ids, board.finished, board.lost, decode_steps=0, decoded_tokens=tokens)


class _StaggeredBoard:
    """Which rows run, have ended or are lost, when each is at a length of its own."""

    def __init__(self, num_groups: int, group_size: int, settings: SamplingSettings, race: Race | None) -> None:
        rows = num_groups * group_size
        self.completion_ids: list[list[int]] = [[] for _ in range(rows)]
        self.finished, self.lost, self._running = [False] * rows, [False] * rows, [True] * rows
        self.num_running = rows
        self.is_race = race is not None and race.keep < group_size
        self._group_size, self._settings = group_size, settings
        self._ranking = GroupRanking(num_groups, group_size, race) if race is not None and self.is_race else None

    def take(self, row: int, tokens: Sequence[int], *, ended: bool) -> list[int]:
        """Takes all tokens that a row has so far; returns the rows of its group that are lost by that."""
        if not self._running[row]:
            return []  # it was cancelled, and these tokens were already under way
        self.completion_ids[row] = list(tokens)
        if not ended:
            return self._lose([row])
        self._running[row] = False
        self.num_running -= 1
        # By the last token: a row of exactly the longest length may have ended there or been cut there.
        self.finished[row] = bool(tokens) and tokens[-1] in self._settings.eos_token_ids
        if self._ranking is None or not self.finished[row] or not self._ranking.note_ended(row, list(tokens)):
            return []
        start = row - row % self._group_size
        return self._lose([other for other in range(start, start + self._group_size) if self._running[other]])

    def _lose(self, rows: Sequence[int]) -> list[int]:
        """Those of the running rows, all of one group, that are beaten at the length each of them has."""
        if self._ranking is None:
            return []
        lost = []
        for row in rows:
            length = len(self.completion_ids[row])
            if length < self._settings.max_new_tokens and self._ranking.beaten([row], length):
                self._running[row], self.lost[row] = False, True
                self.num_running -= 1
                lost.append(row)
        return lost


def _refuse_dropped_settings(settings: SamplingSettings) -> None:
    for processor in logits_processors(settings):
        # Transformers drops such a processor with a line in the log; the run would sample from another distribution.
        if getattr(processor, "supports_continuous_batching", None) is False:
            raise SpecError(
                f"transformers' continuous batching would drop {type(processor).__name__}: switch that sampling "
                "setting off, or use engine 'race' or 'generate'"
            )


def _sized(
    config: ContinuousBatchingConfig,
    model: nn.Module,
    prompts_P: Sequence[Sequence[int]],
    num_generations: int,
    settings: SamplingSettings,
) -> ContinuousBatchingConfig:
    """The config, on the CPU with a cache for these rows: its own default is nearly all memory."""
    if next(model.parameters()).device.type != "cpu" or config.num_blocks is not None:
        return config
    page = getattr(config, "page_size", None) or getattr(config, "block_size", None) or _DEFAULT_PAGE
    pages = sum(ceil((len(prompt) + settings.max_new_tokens) / page) + 1 for prompt in prompts_P)
    return replace(
        config,
        num_blocks=pages * num_generations,
        max_batch_tokens=config.max_batch_tokens or max(256, len(prompts_P) * num_generations),
    )


@contextmanager
def _manager(
    model: nn.Module, settings: SamplingSettings, config: ContinuousBatchingConfig, seed: int
) -> Iterator[Any]:
    generation_config = GenerationConfig(
        do_sample=True,
        max_new_tokens=settings.max_new_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=settings.top_k,
        min_p=settings.min_p,
        repetition_penalty=settings.repetition_penalty,
        eos_token_id=list(settings.eos_token_ids),
        pad_token_id=settings.pad_token_id,
    )
    device = next(model.parameters()).device
    base: Any = base_model(model)
    attention = base.config._attn_implementation
    # The manager draws from torch's global generator, and seeds it, which the training must not notice.
    with torch.random.fork_rng([device] if device.type == "cuda" else []), evaluation_mode(model):
        torch.manual_seed(seed)
        try:
            with base.continuous_batching_context_manager(
                generation_config=generation_config, continuous_batching_config=config, block=True
            ) as manager:
                yield manager
        finally:
            # Older versions leave the model with the paged attention, which is wrong for every other pass.
            if base.config._attn_implementation != attention:
                base.set_attn_implementation(attention)


def _fault(manager: Any) -> str:
    status = getattr(manager, "background_thread_status", None)
    return str(getattr(status, "fatal_error", None) or "no reason was given")
