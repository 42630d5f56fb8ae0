"""Sampling one token a row such that a row's tokens do not depend on the rows that are decoded with it."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from transformers import LogitsProcessorList
from transformers.generation.logits_process import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from gpocli.rollout.settings import SamplingSettings

_MASK_64 = (1 << 64) - 1
# Keeps uniform * total below total after rounding, so that the search for it never runs past the last token.
_BELOW_ONE = 1 - 2.0**-40
# Vocabularies larger than this are searched in two levels, which spares a cumulative sum over all of them.
_BLOCK = 512


class RowStreams:
    """One stream of uniform numbers a row, drawn in chunks of tokens: `column(t)` is token t's number for each row.

    A row's numbers depend on (seed, row number) alone; row numbers count from `first_row`.
    """

    def __init__(self, seed: int, num_rows: int, device: torch.device, *, first_row: int = 0, chunk: int = 64) -> None:
        # Philox is counter-based: the 128-bit key makes the streams independent, whatever the row number.
        self._streams = [
            np.random.Generator(np.random.Philox(key=np.array([seed & _MASK_64, row], dtype=np.uint64)))
            for row in range(first_row, first_row + num_rows)
        ]
        self._chunk, self._device, self._start = chunk, device, -chunk
        self._rows: list[int] = list(range(num_rows))
        self._uniform_TR = torch.empty((0, num_rows), dtype=torch.float64, device=device)

    def select(self, order: Sequence[int], order_R: Tensor) -> None:
        """Goes on with the rows at the positions `order` of the present ones."""
        self._rows = [self._rows[position] for position in order]
        self._uniform_TR = self._uniform_TR[:, order_R]

    def column(self, token: int) -> Tensor:
        """Float64 numbers in [0, 1), one a present row, for token number `token` (asked for in rising order)."""
        if token >= self._start + self._chunk:
            self._start += self._chunk
            uniform_TR = np.stack([self._streams[row].random(self._chunk) for row in self._rows], axis=1)
            self._uniform_TR = torch.from_numpy(uniform_TR * _BELOW_ONE).to(self._device)
        return self._uniform_TR[token - self._start]


def logits_processors(settings: SamplingSettings) -> LogitsProcessorList:
    """Transformers' own processors for the settings that are switched on, in the order of `generate`."""
    processors = LogitsProcessorList()
    if settings.repetition_penalty != 1.0:
        processors.append(RepetitionPenaltyLogitsProcessor(penalty=settings.repetition_penalty))
    if settings.temperature != 1.0:
        processors.append(TemperatureLogitsWarper(settings.temperature))
    if settings.top_k > 0:
        processors.append(TopKLogitsWarper(top_k=settings.top_k))
    if settings.top_p < 1.0:
        processors.append(TopPLogitsWarper(top_p=settings.top_p))
    if settings.min_p is not None:
        processors.append(MinPLogitsWarper(min_p=settings.min_p))
    return processors


def pick_tokens(logits_RV: Tensor, uniform_R: Tensor) -> Tensor:
    """Inverse-CDF sampling: the first token of each row at which the cumulative probability exceeds `uniform_R`.

    Sums are float64: their rounding then moves no boundary between two tokens by more than about 1e-16, so that
    only the rounding of the logits themselves could make one uniform number fall on another token.
    """
    probs_RV = torch.softmax(logits_RV, dim=-1, dtype=torch.float32)
    if probs_RV.shape[1] <= _BLOCK * 4:
        return _search(probs_RV, uniform_R)[0]
    rows, vocabulary = probs_RV.shape
    if rest := -vocabulary % _BLOCK:
        probs_RV = torch.nn.functional.pad(probs_RV, (0, rest))
    probs_RNB = probs_RV.view(rows, -1, _BLOCK)
    block_R, inside_R = _search(probs_RNB.sum(-1, dtype=torch.float64), uniform_R)
    probs_RB = probs_RNB[torch.arange(rows, device=block_R.device), block_R]
    return block_R * _BLOCK + _search(probs_RB, inside_R)[0]


def _search(weights_RN: Tensor, uniform_R: Tensor) -> tuple[Tensor, Tensor]:
    """Index at which the share `uniform_R` of the total is exceeded, and how far into that item it lies (0 to 1)."""
    cumulative_RN = weights_RN.cumsum(-1, dtype=torch.float64)
    target_R1 = (uniform_R * cumulative_RN[:, -1]).unsqueeze(1)
    index_R1 = torch.searchsorted(cumulative_RN, target_R1, right=True)
    weight_R1 = weights_RN.gather(1, index_R1).double()
    inside_R1 = (target_R1 - (cumulative_RN.gather(1, index_R1) - weight_R1)) / weight_R1
    return index_R1.squeeze(1), inside_R1.clamp(0.0, _BELOW_ONE).squeeze(1)
