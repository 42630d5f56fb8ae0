"""Checks on what a filter returned: numbers, counts, finiteness.

Each message names the filter, what was expected and what came.
"""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

from gpocli.errors import PluginError, counted


def checked_scores(returned: Any, sizes: Sequence[int], name: str) -> list[list[float]]:
    """The scores [P][G] of the filter `name` as finite floats; `sizes` are the candidates of each group.

    Takes lists, tuples, arrays and tensors, and as a number whatever is one: bool, int, float, numpy scalar,
    0-d array or tensor. Raises `PluginError` naming the filter, the group and the candidate, counted from 0.
    """
    groups = as_list(returned)
    if groups is None:
        raise PluginError(f"filter '{name}' returned {shown(returned)}; return a list of scores for each group")
    if len(groups) != len(sizes):
        raise PluginError(
            f"filter '{name}' returned {counted(len(groups), 'list')} of scores for {counted(len(sizes), 'group')}; "
            "return a list of scores for each group"
        )
    return [_checked_group(group, size, g, name) for g, (group, size) in enumerate(zip(groups, sizes, strict=True))]


def _checked_group(returned: Any, size: int, group: int, name: str) -> list[float]:
    scores = as_list(returned)
    if scores is None:
        raise PluginError(
            f"filter '{name}' returned {shown(returned)} for group {group}; return a list of {counted(size, 'score')}"
        )
    if len(scores) != size:
        raise PluginError(
            f"filter '{name}' returned {counted(len(scores), 'score')} for group {group}, which has "
            f"{counted(size, 'candidate')}; return one score for each candidate"
        )
    return [_checked_score(score, group, candidate, name) for candidate, score in enumerate(scores)]


def _checked_score(value: Any, group: int, candidate: int, name: str) -> float:
    number = as_float(value)
    if number is None or not math.isfinite(number):
        raise PluginError(
            f"filter '{name}' returned {shown(value)} as the score of candidate {candidate} of group {group}"
            "; return a finite number"
        )
    return number


def checked_bound(returned: Any, length: int, source: str, what: Literal["score", "reward"]) -> float:
    """A bound of a score or reward, by `source`, as a float; infinity: nothing is known. Raises `PluginError`."""
    number = as_float(returned)
    if number is None or math.isnan(number) or number == -math.inf:
        raise PluginError(
            f"{source} returned {shown(returned)} as {what}_bound({length}); return the highest "
            f"{what} that an unended completion of that many tokens can still get"
        )
    return number


def checked_counts(returned: Any, groups: int, keep: int, name: str) -> list[int]:
    """The number of candidates to keep in each group, from 0 to `keep`. Raises `PluginError`."""
    counts = as_list(returned)
    if counts is None:
        raise PluginError(f"filter '{name}' returned {shown(returned)} as keep_counts; return one count for each group")
    if len(counts) != groups:
        raise PluginError(
            f"filter '{name}' returned {counted(len(counts), 'keep count')} for {counted(groups, 'group')}; "
            "return one count for each group"
        )
    return [_checked_count(count, keep, group, name) for group, count in enumerate(counts)]


def _checked_count(value: Any, keep: int, group: int, name: str) -> int:
    number = as_float(value)
    # True would be taken for 1, where a mask over candidates was meant.
    if number is None or isinstance(value, bool) or not 0 <= number <= keep or number != int(number):
        raise PluginError(
            f"filter '{name}' wants to keep {shown(value)} of group {group}; return a whole number from 0 to k = {keep}"
        )
    return int(number)


def as_float(value: Any) -> float | None:
    """`value` as a float when it is one real number, else None; numpy and torch scalars are."""
    if not isinstance(value, Real) and getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:  # an integer beyond any float
        return math.inf


def shown(value: Any) -> str:
    """A short form of a value for a message, with its type where that is what is wrong."""
    text = repr(value)
    if value is None or isinstance(value, float):
        return text
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({type(value).__name__})"


def as_list(value: Any) -> list[Any] | None:
    """A list, tuple, array or tensor as a list; None for all else."""
    if isinstance(value, list | tuple):
        return list(value)
    if getattr(value, "ndim", 0) and hasattr(value, "tolist"):  # an array or a tensor, neither of which is imported
        return list(value.tolist())
    return None
