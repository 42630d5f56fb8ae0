"""Which way the kept candidates pull the length of what a policy writes: the figures of it, for runs and for trials.

Advantages sum to zero over the kept rows of a group. So a step makes completions shorter only as far as, among those,
the advantage falls with the length, whatever the filter is named for.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_SAME = 1e-8
"""Rewards that differ by no more are the same."""


@dataclass(frozen=True, slots=True)
class Pull:
    """What the kept rows teach about length; NaN where there is nothing to tell it from.

    `correlation` is Pearson's, of advantage and length in tokens: below 0 they teach to write less, above 0 more.
    `right_length` and `wrong_length` are the mean lengths of the rows with an advantage above and below 0: with rewards
    for right and wrong alone, of the right and the wrong ones in groups that have both. Groups that are flat teach
    nothing, and none of their rows is either.
    """

    correlation: float
    right_length: float
    wrong_length: float


def length_pull(lengths: Sequence[float], advantages: Sequence[float]) -> Pull:
    """The figures of kept rows, of any number of groups. Rows with an advantage of NaN are in no loss and left out."""
    rows = [(length, one) for length, one in zip(lengths, advantages, strict=True) if not math.isnan(one)]
    return Pull(
        _correlation([length for length, _ in rows], [one for _, one in rows]),
        _mean([length for length, one in rows if one > 0]),
        _mean([length for length, one in rows if one < 0]),
    )


def group_advantages(rewards_G: Sequence[float | None]) -> list[float]:
    """The advantages of the kept rewards of a group: distances from their mean, in standard deviations (n - 1).

    0 throughout a flat group, and where a reward does not apply (None, NaN). This is how runs come to them unless
    `algorithm.scale_rewards` says otherwise.
    """
    known = [reward for reward in rewards_G if reward is not None and not math.isnan(reward)]
    if is_flat(known):
        return [0.0] * len(rewards_G)
    middle = _mean(known)
    spread = math.sqrt(math.fsum((reward - middle) ** 2 for reward in known) / (len(known) - 1))
    return [0.0 if reward is None or math.isnan(reward) else (reward - middle) / spread for reward in rewards_G]


def is_flat(rewards: Sequence[float]) -> bool:
    """Whether no reward of a group, all of them known, tells one candidate from another."""
    return len(rewards) < 2 or max(rewards) - min(rewards) <= _SAME


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    if len(one) < 2:
        return math.nan
    from_mean = [[value - _mean(values) for value in values] for values in (one, other)]
    scale = math.sqrt(math.prod(math.fsum(value * value for value in values) for values in from_mean))
    return math.fsum(a * b for a, b in zip(*from_mean, strict=True)) / scale if scale > 0 else math.nan


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
