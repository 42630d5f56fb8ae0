"""Sampling one token a row such that a row's tokens do not depend on the rows that are decoded with it."""

from collections.abc import Sequence
from math import ceil, log

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
# A vocabulary up to this size is searched at once, a larger one in levels of at most so many blocks.
_AT_ONCE, _BLOCKS = 64, 32


class RowStreams:
    """One stream of uniform numbers a row, drawn in chunks of tokens: `column(t)` has token t's numbers for each row.

    A row's numbers depend on (seed, row number) alone; row numbers count from `first_row`. A token takes `levels`
    numbers: one, but for large vocabularies (see `pick_tokens`).
    """

    def __init__(
        self,
        seed: int,
        num_rows: int,
        device: torch.device,
        *,
        levels: int = 1,
        first_row: int = 0,
        chunk: int = 64,
    ) -> None:
        # Philox is counter-based: the 128-bit key makes the streams independent, whatever the row number.
        self._streams = [
            np.random.Generator(np.random.Philox(key=np.array([seed & _MASK_64, row], dtype=np.uint64)))
            for row in range(first_row, first_row + num_rows)
        ]
        self._levels, self._chunk, self._device, self._start = levels, chunk, device, -chunk
        self._rows: list[int] = list(range(num_rows))
        self._uniform_TLR = torch.empty((0, levels, num_rows), dtype=torch.float64, device=device)

    def select(self, order: Sequence[int], order_R: Tensor) -> None:
        """Goes on with the rows at the positions `order` of the present ones."""
        self._rows = [self._rows[position] for position in order]
        self._uniform_TLR = self._uniform_TLR[:, :, order_R]

    def column(self, token: int) -> Tensor:
        """Float64 numbers in [0, 1), shape [levels, rows], for token number `token` (asked for in rising order)."""
        if token >= self._start + self._chunk:
            self._start += self._chunk
            shape = (self._chunk, self._levels)
            uniform_TLR = np.stack([self._streams[row].random(shape) for row in self._rows], axis=2)
            self._uniform_TLR = torch.from_numpy(uniform_TLR * _BELOW_ONE).to(self._device)
        return self._uniform_TLR[token - self._start]


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


def num_levels(vocabulary: int) -> int:
    """How many uniform numbers `pick_tokens` takes for a token."""
    return 1 if vocabulary <= _AT_ONCE else ceil(log(vocabulary, _BLOCKS))


def pick_tokens(logits_RV: Tensor, uniform_LR: Tensor) -> tuple[Tensor, Tensor]:
    """Inverse-CDF sampling: the first token of each row at which the cumulative probability exceeds its number.

    Returns the tokens and their log-probabilities, each of shape [rows].

    A large vocabulary is cut into at most 32 blocks, one is picked by its probability, and so on inside it with the
    next number. That is faster than a cumulative sum over all tokens. And it is what keeps a row's tokens the same
    when other rows leave: the logits of a row differ by some 1e-6 then, since matrix products of other sizes round
    otherwise, which moves every boundary between two tokens a little. With V about equally likely tokens a number falls
    between an old and a new boundary with a probability of about 1e-6 * sqrt(V); in levels, V is 32 at most.
    """
    probability_RV = weights_RN = torch.softmax(logits_RV, dim=-1, dtype=torch.float32)
    token_R = torch.zeros_like(uniform_LR[0], dtype=torch.long)
    for level, uniform_R in enumerate(uniform_LR[:-1]):
        count = weights_RN.shape[1]
        span = ceil(count / ceil(count ** (1 / (len(uniform_LR) - level))))
        first_R = _search(_block_sums(weights_RN, span), uniform_R) * span
        index_RS = first_R.unsqueeze(1) + torch.arange(span, device=first_R.device)
        # The last block may be shorter.
        weights_RN = weights_RN.gather(1, index_RS.clamp(max=count - 1)).masked_fill(index_RS >= count, 0.0)
        token_R += first_R
    # Weights that are no numbers exceed nothing: the last token stands in, and its log-probability tells.
    token_R = (token_R + _search(weights_RN, uniform_LR[-1])).clamp(max=probability_RV.shape[1] - 1)
    return token_R, probability_RV.gather(1, token_R.unsqueeze(1)).squeeze(1).log()


def _block_sums(weights_RN: Tensor, span: int) -> Tensor:
    whole = weights_RN.shape[1] // span * span
    sums = weights_RN[:, :whole].reshape(len(weights_RN), -1, span).sum(-1, dtype=torch.float64)
    if whole == weights_RN.shape[1]:
        return sums
    return torch.cat([sums, weights_RN[:, whole:].sum(-1, keepdim=True, dtype=torch.float64)], 1)


def _search(weights_RN: Tensor, uniform_R: Tensor) -> Tensor:
    """The index at which the share `uniform_R` of the total weight is exceeded; never one of weight 0."""
    cumulative_RN = weights_RN.cumsum(-1, dtype=torch.float64)
    target_R1 = (uniform_R * cumulative_RN[:, -1]).unsqueeze(1)
    return torch.searchsorted(cumulative_RN, target_R1, right=True).squeeze(1)
