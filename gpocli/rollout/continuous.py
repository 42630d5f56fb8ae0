"""The race on transformers' continuous batching: rows start and end at different times, lost ones are cancelled."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from typing import Any

import torch
from torch import nn
from transformers import ContinuousBatchingConfig, GenerationConfig

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.rollout.loop import evaluation_mode
from gpocli.rollout.rollout import Rollout, SamplingRequest
from gpocli.rollout.sampling import logits_processors
from gpocli.rollout.settings import SamplingSettings
from gpocli.rollout.support import base_model

_DEFAULT_PAGE = 256
_SECONDS_PER_LOOK = 1.0


@torch.no_grad()
def sample_groups_continuously(
    model: nn.Module, request: SamplingRequest, config: ContinuousBatchingConfig | None = None
) -> Rollout:
    """`sample_groups` on a `ContinuousBatchingManager`, for long completions and more rows than fit at once.

    The race is exact here too: an ended candidate is compared with what another one with its own number of tokens could
    still get, never by when it ended. But transformers draws the tokens of all rows from one stream, so that a row's
    tokens depend on the others, and how many tokens a lost row had on the timing.

    Raises `SpecError` for a setting that continuous batching would drop, `EnvironmentFault` when it stops by itself.
    """
    settings, group_size = request.settings, request.group_size
    _refuse_dropped_settings(settings)
    board = request.board()
    config = _sized(config or ContinuousBatchingConfig(), model, request)
    with _manager(model, settings, config, request.seed) as manager:
        for row in range(len(request.prompts_P) * group_size):
            manager.add_request(
                list(request.prompts_P[row // group_size]),
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
    return Rollout.of(board, decode_steps=0, decoded_tokens=sum(map(len, board.completion_ids)))


def _refuse_dropped_settings(settings: SamplingSettings) -> None:
    for processor in logits_processors(settings):
        # Transformers drops such a processor with a line in the log; the run would sample from another distribution.
        if getattr(processor, "supports_continuous_batching", None) is False:
            raise SpecError(
                f"transformers' continuous batching would drop {type(processor).__name__}: switch that sampling "
                "setting off, or use engine 'race' or 'generate'"
            )


def _sized(config: ContinuousBatchingConfig, model: nn.Module, request: SamplingRequest) -> ContinuousBatchingConfig:
    """The config, on the CPU with a cache for these rows: its own default is nearly all memory."""
    if next(model.parameters()).device.type != "cpu" or config.num_blocks is not None:
        return config
    page = getattr(config, "page_size", None) or getattr(config, "block_size", None) or _DEFAULT_PAGE
    pages = sum(ceil((len(prompt) + request.settings.max_new_tokens) / page) + 1 for prompt in request.prompts_P)
    return replace(
        config,
        num_blocks=pages * request.group_size,
        max_batch_tokens=config.max_batch_tokens or max(256, len(request.prompts_P) * request.group_size),
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
