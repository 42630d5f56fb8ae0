"""What is told of the completions of a generation batch or of an evaluation: pure functions on plain lists.

Each figure is of one population, which `docs/metrics.md` names: all candidates sampled, those that ended by themselves,
or those that are kept. The rows are those of all processes, so that figures do not depend on how many there are. What
has nothing to be a figure of is NaN, which a log leaves out of its means.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from gpocli.trainers.generation_batch import Selected

Metrics = dict[str, list[float]]
"""What a log averages: by name, one value a generation batch or update."""

_FLAT = 1e-8
"""Rewards that differ by no more are the same."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A candidate as the figures count it.

    `length` is in tokens, `reward` the weighted sum of `rewards`; both are NaN where no reward was asked or applies.
    `raced` tells whether the candidate could be lost: a race went on beside it.
    """

    length: int
    finished: bool
    lost: bool
    kept: bool
    reward: float
    rewards: tuple[float, ...]
    raced: bool = False


def count(batch: Selected, reward_count: int, *, raced: bool) -> list[Counted]:
    """The candidates of a generation batch; those that only fill up a group are not kept."""
    trained, nothing = set(batch.trained), ((math.nan,) * reward_count, math.nan)
    counted = []
    for i, length in enumerate(batch.lengths):
        rewards, reward = batch.rewards.get(i, nothing)
        finished, lost = batch.rollout.finished[i], batch.rollout.lost[i]
        counted.append(Counted(length, finished, lost, i in trained, reward, tuple(rewards), raced))
    return counted


def training_figures(
    candidates: Sequence[Counted],
    group_size: int,
    reward_names: Sequence[str],
    *,
    is_filtered: bool,
    all_rewarded: bool,
) -> dict[str, float]:
    """The figures of a generation batch, whose candidates stand group after group.

    `all_rewarded` tells that rewards were asked about rejected candidates, too; in a race not about lost ones, so that
    no mean is one over all candidates.
    """
    is_race = any(candidate.raced for candidate in candidates)
    figures = race_figures(candidates) if is_race else length_figures(candidates)
    if is_filtered:
        figures |= choice_figures(candidates)
        if all_rewarded and not is_race:
            figures["candidates/reward"] = mean(_known(candidate.reward for candidate in candidates))
    return figures | reward_figures(candidates, group_size, reward_names)


def evaluation_figures(
    completions: Sequence[Counted], group_size: int, reward_names: Sequence[str]
) -> dict[str, float]:
    """The figures of an evaluation, none of whose completions is stopped early or rejected."""
    return length_figures(completions) | reward_figures(completions, group_size, reward_names)


def length_figures(candidates: Sequence[Counted]) -> dict[str, float]:
    """How long the policy writes: of all that were sampled, where each of them came to its end."""
    lengths = [candidate.length for candidate in candidates]
    ended = [candidate.length for candidate in candidates if candidate.finished]
    return {
        "completions/mean_length": mean(lengths),
        "completions/min_length": min(lengths, default=math.nan),
        "completions/max_length": max(lengths, default=math.nan),
        "completions/clipped_ratio": mean([not candidate.finished for candidate in candidates]),
        "completions/mean_terminated_length": mean(ended),
        "completions/min_terminated_length": min(ended, default=math.nan),
        "completions/max_terminated_length": max(ended, default=math.nan),
    }


def race_figures(candidates: Sequence[Counted]) -> dict[str, float]:
    """What a race leaves to tell of all that were sampled: lower bounds, for a lost one would have gone on."""
    cut = sum(not candidate.finished and not candidate.lost for candidate in candidates)
    return {
        "completions/mean_length_at_least": mean([candidate.length for candidate in candidates]),
        "completions/clipped_ratio_at_least": cut / len(candidates) if candidates else math.nan,
        "lost/share": mean([candidate.lost for candidate in candidates]),
    }


def choice_figures(candidates: Sequence[Counted]) -> dict[str, float]:
    """What the filter chose: a share of all, and how long the kept ones are."""
    return {
        "kept/share": mean([candidate.kept for candidate in candidates]),
        "kept/mean_length": mean([candidate.length for candidate in candidates if candidate.kept]),
    }


def reward_figures(candidates: Sequence[Counted], group_size: int, reward_names: Sequence[str]) -> dict[str, float]:
    """Rewards of the kept candidates to which they apply, and the share of groups that give no advantage."""
    kept = [candidate for candidate in candidates if candidate.kept]
    totals = _known(candidate.reward for candidate in kept)
    figures = {"reward": mean(totals), "reward_std": deviation(totals)}
    for place, name in enumerate(reward_names):
        values = _known(candidate.rewards[place] for candidate in kept)
        figures |= {f"rewards/{name}/mean": mean(values), f"rewards/{name}/std": deviation(values)}
    if group_size > 1:
        groups = [candidates[start : start + group_size] for start in range(0, len(candidates), group_size)]
        figures["frac_reward_zero_std"] = mean([is_flat(group) for group in groups])
    return figures


def is_flat(group: Sequence[Counted]) -> bool:
    """Whether no kept candidate of a group is told from another by its reward: every advantage is then 0."""
    rewards = _known(candidate.reward for candidate in group if candidate.kept)
    return len(rewards) < 2 or max(rewards) - min(rewards) <= _FLAT


def mean(values: Sequence[float]) -> float:
    """The mean, NaN of nothing."""
    return math.fsum(values) / len(values) if values else math.nan


def deviation(values: Sequence[float]) -> float:
    """The standard deviation of a sample (divided by n - 1), NaN of fewer than two."""
    if len(values) < 2:
        return math.nan
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def owned_names(reward_names: Sequence[str]) -> set[str]:
    """The names of TRL's figures that are told by the functions above."""
    nobody: Sequence[Counted] = [Counted(0, True, False, True, 0.0, (0.0,) * len(reward_names))]
    return set(evaluation_figures(nobody, 2, reward_names))


@contextmanager
def taken_back(metrics: Metrics, names: set[str]) -> Iterator[None]:
    """Take back what is written under `names` inside, so that each name has one meaning."""
    before = {name: len(metrics.get(name, ())) for name in names}
    yield
    for name, length in before.items():
        if name in metrics:
            del metrics[name][length:]
            if not metrics[name]:
                del metrics[name]


def append_figures(metrics: Metrics, figures: dict[str, float]) -> None:
    """Add a value to each figure of a log."""
    for name, value in figures.items():
        metrics.setdefault(name, []).append(value)


def _known(values: Iterator[float]) -> list[float]:
    return [value for value in values if value == value]
