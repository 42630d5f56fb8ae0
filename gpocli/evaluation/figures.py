"""The figures of an evaluation and their bootstrap intervals: pure functions on arrays [P prompts, N completions]."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

Figures = dict[str, float]
"""By name; NaN where there is nothing to be a figure of."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What N completions of each of P prompts came to; lengths are in tokens, the end token included."""

    right_PN: NDArray[np.bool_]
    length_PN: NDArray[np.int64]
    cut_PN: NDArray[np.bool_]
    """Whether a completion met the token limit."""
    rewards_PN: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Each reward by name; NaN where it does not apply."""

    @property
    def prompts(self) -> int:
        """P."""
        return len(self.right_PN)

    def of(self, rows: NDArray[np.intp]) -> "Answers":
        """The answers to some prompts, in any order, any number of times."""
        rewards = {name: values_PN[rows] for name, values_PN in self.rewards_PN.items()}
        return Answers(self.right_PN[rows], self.length_PN[rows], self.cut_PN[rows], rewards)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the bounds of its interval."""

    value: float
    low: float
    high: float


def pass_at_k(samples: int, right: int, k: int) -> float:
    """The unbiased estimate that one of `k` completions is right, where `right` of `samples` are (arXiv 2107.03374)."""
    return 1 - comb(samples - right, k) / comb(samples, k)


def figures(answers: Answers) -> Figures:
    """Accuracy, pass@1, 2, 4, ..., mean, median and 90 % length, tokens spent for a right answer, share cut, and the
    mean of each reward.

    Lengths are in tokens, of all completions; `tokens_per_right` is NaN without a right one.
    """
    right, tokens = int(answers.right_PN.sum()), answers.length_PN
    samples = answers.right_PN.shape[1]
    by_count = {k: np.array([pass_at_k(samples, c, k) for c in range(samples + 1)]) for k in powers_of_two(samples)}
    passed = {f"pass@{k}": float(table[answers.right_PN.sum(1)].mean()) for k, table in by_count.items()}
    return {
        "accuracy": float(answers.right_PN.mean()),
        **passed,
        "mean_length": float(tokens.mean()),
        "median_length": float(np.median(tokens)),
        "length_90": float(np.quantile(tokens, 0.9)),
        "tokens_per_right": float(tokens.sum()) / right if right else float("nan"),
        "cut": float(answers.cut_PN.mean()),
        **{f"rewards/{name}/mean": _mean_of_known(values) for name, values in answers.rewards_PN.items()},
    }


def _mean_of_known(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def powers_of_two(most: int) -> list[int]:
    """1, 2, 4, ... up to `most`."""
    return [1 << power for power in range(most.bit_length())]


def excess_length_reduction(grpo: float, trained: float, base: float) -> float:
    """The share of the length that GRPO adds to the base model which a run leaves away again (arXiv 2508.09726).

    Takes mean lengths in tokens; NaN where GRPO adds none.
    """
    return (grpo - trained) / (grpo - base) if grpo != base else float("nan")


def estimates(answers: Answers, *, seed: int, times: int = 1000, level: float = 0.95) -> dict[str, Estimate]:
    """Each figure with its percentile interval over `times` resamplings of the prompts."""
    return bootstrap(lambda rows: figures(answers.of(rows)), answers.prompts, seed=seed, times=times, level=level)


def differences(
    trained: Answers, base: Answers, *, seed: int, times: int = 1000, level: float = 0.95
) -> dict[str, Estimate]:
    """Each figure of `trained` less that of `base` on the same prompts, resampled together."""

    def difference(rows: NDArray[np.intp]) -> Figures:
        ours, theirs = figures(trained.of(rows)), figures(base.of(rows))
        return {name: ours[name] - theirs[name] for name in ours}

    return bootstrap(difference, trained.prompts, seed=seed, times=times, level=level)


def excess_length(
    grpo: Answers, trained: Answers, base: Answers, *, seed: int, times: int = 1000, level: float = 0.95
) -> Estimate:
    """`excess_length_reduction` of three models on the same prompts, resampled together."""

    def reduction(rows: NDArray[np.intp]) -> Figures:
        mean = [float(one.length_PN[rows].mean()) for one in (grpo, trained, base)]
        return {"excess_length_reduction": excess_length_reduction(*mean)}

    found = bootstrap(reduction, trained.prompts, seed=seed, times=times, level=level)
    return found["excess_length_reduction"]


def bootstrap(
    of: Callable[[NDArray[np.intp]], Figures], prompts: int, *, seed: int, times: int, level: float
) -> dict[str, Estimate]:
    """Figures of all prompts, and the percentile interval of each over prompts drawn with replacement.

    A resampling in which a figure is NaN does not count for its interval. One prompt tells nothing of others: its
    bounds are NaN.
    """
    if prompts < 2:
        return {name: _estimate(value, (), level) for name, value in of(np.arange(prompts)).items()}
    generator = np.random.default_rng(seed)
    drawn = [of(generator.integers(prompts, size=prompts)) for _ in range(times)]
    return {
        name: _estimate(value, [one[name] for one in drawn], level) for name, value in of(np.arange(prompts)).items()
    }


def _estimate(value: float, drawn: Sequence[float], level: float) -> Estimate:
    known = [one for one in drawn if one == one]
    if not known:
        return Estimate(value, float("nan"), float("nan"))
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high))


def by_column(answers: Answers, values: Sequence[str]) -> Mapping[str, Answers]:
    """The answers apart for each value that a column has, in the order of first sight."""
    column = np.array(values, dtype=object)
    return {value: answers.of(np.flatnonzero(column == value)) for value in dict.fromkeys(values)}
