"""What is told of the tokens that a loss goes over: one value an optimizer step, or an evaluation.

The parent writes one value a micro-batch, which a log would average whatever it is of, and at sequence level counts
rows without a token in the loss: those that only fill up a group, and those that were cut at the limit where these are
masked. Here each is of all trained tokens, or all trained rows, of the step. So it does not depend on how rows share
micro-batches and processes. Silent rows (`silent_rows`) are in no pass: none of their tokens is clipped, whatever its
ratio, and what else a pass would tell of them stays unknown.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpocli.trainers.objective import IS_LIVE, OVER_ROWS, loss_mask

Inputs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A micro-batch of all processes: its tokens and rows in the loss, and all of its rows.

    `share` is that of the processes in which it is there, which it is not where all of its rows only fill up a group.
    Silent rows and their tokens count apart.
    """

    tokens: float
    trained_rows: float
    rows: float
    share: float
    silent_tokens: float = 0.0
    silent_rows: float = 0.0


Combine = Callable[[Sequence[float], Sequence[Part]], float]
"""The values of the micro-batches, and the micro-batches, to one value."""


def over_tokens(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The mean over tokens of values that are means over tokens."""
    return _ratio(values, [part.tokens for part in parts], [part.tokens for part in parts])


def over_rows(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The mean over the rows in the loss of values that are means over all rows, where others count as 0."""
    return _ratio(values, [part.rows for part in parts], [part.trained_rows for part in parts])


def clipped_tokens(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The share of all tokens, of which those of silent rows are not clipped."""
    return _ratio(values, [part.tokens for part in parts], [part.tokens + part.silent_tokens for part in parts])


def clipped_rows(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The share of all rows in the loss, of which silent ones are not clipped."""
    return _ratio(values, [part.rows for part in parts], [part.trained_rows + part.silent_rows for part in parts])


def smallest_share(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The smallest share clipped of a row, 0 where one is silent."""
    return 0.0 if any(part.silent_rows for part in parts) else smallest(values, parts)


def over_micro_batches(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The mean over the micro-batches that are there; the others have 0."""
    return _ratio(values, [1.0] * len(parts), [part.share for part in parts])


def smallest(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The smallest of those that are numbers."""
    return min(_finite(values), default=math.nan)


def largest(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The largest of those that are numbers."""
    return max(_finite(values), default=math.nan)


def total(values: Sequence[float], parts: Sequence[Part]) -> float:
    """The sum."""
    return math.fsum(values)


CLIPPED = ("clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean", "cispo_clip_ratio")
_LOW_MEAN, _LOW_MIN = "clip_ratio/low_mean", "clip_ratio/low_min"


def combinations(loss_type: str, *, has_row_ratios: bool, is_training: bool) -> dict[str, Combine]:
    """How the values of micro-batches become one, by the name of the figure.

    `has_row_ratios` tells that a row has one ratio, so that what is clipped are rows.
    """
    is_mean = loss_type in OVER_ROWS or loss_type == "bnpo" or not is_training
    return {
        "entropy": over_tokens,
        "kl": over_tokens,
        "clip_ratio/low_min": smallest_share,
        "clip_ratio/high_max": largest,
        "vespo/phi_seq_mean": over_rows,
        "policy_loss": over_micro_batches if is_mean else total,
        **dict.fromkeys(CLIPPED, clipped_rows if has_row_ratios else clipped_tokens),
    }


def settled(
    values: Mapping[str, Sequence[float]],
    parts: Sequence[Part],
    combine: Mapping[str, Combine],
    *,
    has_row_ratios: bool,
) -> dict[str, float]:
    """One value a figure, from its values of the micro-batches in `parts`."""
    one = {name: combine[name](values[name], parts) for name in combine if len(values.get(name, ())) == len(parts)}
    if has_row_ratios and _LOW_MIN in one:  # of a row it is 1 or 0, and rows outside of the loss have 0
        one[_LOW_MIN] = float(one[_LOW_MEAN] > 1 - 1e-6)
    return one


class LossFigures:
    """Notes each loss of a trainer, and settles the figures that the parent wrote meanwhile."""

    def __init__(self, trainer: Any) -> None:
        self._trainer = trainer
        self._parts: list[Part] = []

    def note(self, inputs: Inputs, passed: Inputs) -> None:
        """A loss was computed of these rows of this process, of which `passed` were in the pass."""
        processes, (all_tokens, all_rows), own = self._trainer._processes, _trained(inputs), _trained(passed)
        silent, live = [all_tokens - own[0], all_rows - own[1]], float(inputs.get(IS_LIVE, True))
        tokens, trained_rows, rows, share, *silent = processes.totals(*own, len(passed["advantages"]), live, *silent)
        self._parts.append(Part(tokens, trained_rows, rows, share / processes.count, *silent))

    def settle(self, metrics: dict[str, list[float]]) -> None:
        """Put one value in the place of those since the last call."""
        parts, self._parts = self._parts, []
        if not parts:
            return
        trainer = self._trainer
        has_row_ratios = trainer.objective.has_row_ratios(trainer)
        combine = combinations(trainer.loss_type, has_row_ratios=has_row_ratios, is_training=trainer.model.training)
        values = {name: metrics[name][-len(parts) :] for name in combine if name in metrics}
        for name, value in settled(values, parts, combine, has_row_ratios=has_row_ratios).items():
            metrics[name][-len(parts) :] = [value]


def _trained(inputs: Inputs) -> list[float]:
    """The tokens and the rows of a micro-batch that are in its loss."""
    tokens_B = loss_mask(inputs).sum(1)
    return [float(tokens_B.sum()), float((tokens_B > 0).sum())]


def _ratio(values: Sequence[float], factors: Sequence[float], counts: Sequence[float]) -> float:
    """The sum of values times factors over the sum of counts; a value of nothing is left out."""
    summed = math.fsum(value * factor for value, factor in zip(values, factors, strict=True) if factor)
    return summed / sum(counts) if sum(counts) else math.nan


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]
