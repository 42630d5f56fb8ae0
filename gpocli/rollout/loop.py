"""gpo's own decode loop: prefill each prompt once, decode its group in lockstep, drop rows that have ended or lost."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from gpocli.errors import GuardError, SpecError
from gpocli.rollout.attention import fast_decode_attention
from gpocli.rollout.cache import keep_rows, rollout_cache
from gpocli.rollout.rollout import Rollout, SamplingRequest
from gpocli.rollout.sampling import RowStreams, logits_processors, num_levels, pick_tokens
from gpocli.rollout.settings import SamplingSettings
from gpocli.rollout.support import (
    attends_plainly,
    base_model,
    cache_argument,
    forward_parameters,
    keeps_nothing_of_a_pass,
)

# Token steps between two looks at the tokens from the host. A look is free on the CPU; on an accelerator it waits for
# all queued work, and the few tokens that a row decodes too many cost less than that.
_STEPS_PER_LOOK = {"cpu": 1}
_STEPS_PER_LOOK_ELSEWHERE = 4


def sample_groups(model: nn.Module, request: SamplingRequest) -> Rollout:
    """Samples the completions of a request from the unwrapped model.

    The tokens of row r = p * G + g depend on the model, its prompt, the settings and (seed, first_row + r), not on
    the other rows: dropping rows early, with or without a race, leaves the remaining completions as they are. The
    model is sampled in evaluation mode, so that dropout does not undo that, and is left in the mode it was found in.

    The caller asks `supports(model, request)` before. Raises `SpecError` for an empty prompt.
    """
    settings = request.settings
    if any(not prompt for prompt in request.prompts_P):
        raise SpecError(
            "a prompt has no token, so there is nothing to sample from: leave out rows with an empty prompt"
        )
    board = request.board()
    # Inference mode spares a tenth of the time of a small model.
    without_gradients = torch.inference_mode() if keeps_nothing_of_a_pass(model) else torch.no_grad()
    is_plain = attends_plainly(model)
    attention = fast_decode_attention(model) if is_plain else nullcontext()
    with without_gradients, evaluation_mode(model), attention:
        decoder = _Decoder(model, request, takes_ready_mask=is_plain)
        looks = _STEPS_PER_LOOK.get(decoder.device.type, _STEPS_PER_LOOK_ELSEWHERE)
        unseen_TR: list[Tensor] = []
        for token in range(settings.max_new_tokens):
            unseen_TR.append(decoder.sample(token))
            last = token + 1 == settings.max_new_tokens
            if len(unseen_TR) == looks or last:
                for tokens in torch.stack(unseen_TR).tolist():
                    board.advance(decoder.rows, tokens)
                unseen_TR.clear()
                if request.on_look is not None:
                    request.on_look(board)
                if last or not board.num_running:
                    break
                decoder.drop(board.running, board.num_running)
            decoder.step()
    logps = decoder.logps([len(ids) for ids in board.completion_ids])
    return Rollout.of(board, decode_steps=decoder.steps, decoded_tokens=decoder.row_steps, logps=logps)


class _Decoder:
    """The rows that are decoded at present, and everything kept for each of them on the device."""

    def __init__(self, model: nn.Module, request: SamplingRequest, *, takes_ready_mask: bool) -> None:
        self.rows = list(range(len(request.prompts_P) * request.group_size))
        self.device = next(model.parameters()).device
        self.steps = self.row_steps = 0
        self._model, self._cache_argument = model, cache_argument(model) or "past_key_values"
        parameters = forward_parameters(model)
        self._takes_positions = "position_ids" in parameters
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in parameters else {}
        # A decode step may then get the mask as attention takes it, which spares the model making it.
        self._takes_ready_mask = takes_ready_mask
        self._processors = logits_processors(request.settings)
        self._prefill(request.prompts_P, request.group_size, request.settings)
        levels = num_levels(self._logits_RV.shape[1])
        self._streams = RowStreams(
            request.seed, len(self.rows), self.device, levels=levels, first_row=request.first_row
        )
        # One entry a token step: the rows that it decoded, and the log-probability of each row's token.
        self._drawn: list[tuple[list[int], Tensor]] = []

    def _prefill(self, prompts_P: Sequence[Sequence[int]], num_generations: int, settings: SamplingSettings) -> None:
        numbers: dict[tuple[int, ...], int] = {}
        distinct_P = [numbers.setdefault(tuple(prompt), len(numbers)) for prompt in prompts_P]
        width = max(map(len, numbers))
        limit = width + settings.max_new_tokens
        # Padding is on the left and is filled with the prompt's own first token: a repetition penalty then sees no
        # token that is not the row's own.
        padded = [[prompt[0]] * (width - len(prompt)) + list(prompt) for prompt in numbers]
        ids_DT = torch.tensor(padded, device=self.device)
        padding_D = torch.tensor([width - len(prompt) for prompt in numbers], device=self.device)
        self._width = width
        mask_DT = torch.arange(limit, device=self.device) >= padding_D.unsqueeze(1)
        position_DT = (torch.arange(width, device=self.device) - padding_D.unsqueeze(1)).clamp(min=0)
        is_padded = len(set(map(len, numbers))) > 1
        self._mask_RT = mask_DT.long() if is_padded else None
        self._cache = rollout_cache(base_model(self._model).config)
        logits_DV = self._forward(ids_DT, position_DT)

        source_R = torch.tensor(distinct_P, device=self.device).repeat_interleave(num_generations)
        self._cache.batch_select_indices(source_R)
        self._logits_RV = logits_DV[source_R]
        if is_padded:
            self._mask_RT = mask_DT[source_R] if self._takes_ready_mask else mask_DT[source_R].long()
        self._position_R1 = position_DT[source_R, -1:]
        self._token_R1 = source_R.unsqueeze(1)
        self._ids_RT: Tensor | None = None
        if settings.repetition_penalty != 1.0:
            self._ids_RT = torch.zeros((len(self.rows), limit), dtype=torch.long, device=self.device)
            self._ids_RT[:, :width] = ids_DT[source_R]

    def sample(self, token: int) -> Tensor:
        """Samples token number `token` of each present row from the logits of the last forward pass."""
        logits_RV = self._logits_RV.float()
        if self._processors:
            # Only the repetition penalty, the first of them, reads the ids.
            ids_RT = self._token_R1 if self._ids_RT is None else self._ids_RT[:, : self._width]
            logits_RV = self._processors(ids_RT, logits_RV)
        token_R, logp_R = pick_tokens(logits_RV, self._streams.column(token))
        self._token_R1 = token_R.unsqueeze(1)
        self._drawn.append((self.rows, logp_R))
        return token_R

    def logps(self, lengths: Sequence[int]) -> list[list[float]]:
        """The log-probabilities of the first `lengths` tokens of each row: a row may have been decoded for longer.

        Raises `GuardError` where the model gave no numbers.
        """
        logps: list[list[float]] = [[] for _ in lengths]
        drawn = torch.cat([logp_R for _, logp_R in self._drawn])
        if drawn.isnan().any():
            raise GuardError(
                "the model gives logits that are no numbers (NaN), so nothing can be sampled from it: its weights are "
                "broken; start anew from a checkpoint before, with its folder as the model and a lower "
                "optim.learning_rate or optim.max_grad_norm, or load sound weights"
            )
        rows = [row for rows, _ in self._drawn for row in rows]
        for row, logp in zip(rows, drawn.tolist(), strict=True):
            if len(logps[row]) < lengths[row]:
                logps[row].append(logp)
        return logps

    def drop(self, running: Sequence[bool], num_running: int) -> None:
        """Drops the rows that do not run any more, once there are enough of them to pay for it."""
        gone = len(self.rows) - num_running
        if gone * 16 < len(self.rows):
            return
        order = _closed_up(self.rows, running, num_running)
        self.rows = [self.rows[position] for position in order]
        order_R = torch.tensor(order, device=self.device)
        keep_rows(self._cache, order, order_R)
        self._streams.select(order, order_R)
        self._token_R1, self._position_R1 = self._token_R1[order_R], self._position_R1[order_R]
        if self._mask_RT is not None:
            self._mask_RT = self._mask_RT[order_R]
        if self._ids_RT is not None:
            self._ids_RT = self._ids_RT[order_R]

    def step(self) -> None:
        """One forward pass of the present rows, each with the token it sampled last."""
        if self._ids_RT is not None:
            self._ids_RT[:, self._width] = self._token_R1[:, 0]
        self._width += 1
        self._position_R1 = self._position_R1 + 1
        self._logits_RV = self._forward(self._token_R1, self._position_R1)
        self.steps += 1
        self.row_steps += len(self.rows)

    def _forward(self, ids_RT: Tensor, position_RT: Tensor) -> Tensor:
        """Logits after the last of the new tokens [rows, vocabulary]; the cache takes the new tokens up."""
        inputs: dict[str, Any] = {"input_ids": ids_RT, self._cache_argument: self._cache, "use_cache": True}
        inputs |= self._last_only
        if self._takes_positions:
            inputs["position_ids"] = position_RT
        if self._mask_RT is None:
            inputs["attention_mask"] = None
        elif self._mask_RT.dtype == torch.bool:
            inputs["attention_mask"] = self._mask_RT[:, None, None, : self._width]
        else:
            inputs["attention_mask"] = self._mask_RT[:, : self._width]
        logits: Tensor = self._model(**inputs).logits
        return logits[:, -1]


def _closed_up(rows: Sequence[int], running: Sequence[bool], num_running: int) -> list[int]:
    """Positions of the running rows: those in front stay in place, holes are filled from behind."""
    behind = iter([position for position in range(num_running, len(rows)) if running[rows[position]]])
    return [position if running[rows[position]] else next(behind) for position in range(num_running)]


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Evaluation mode: no dropout, and with it no gradient checkpointing, which transformers does in training only."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True
