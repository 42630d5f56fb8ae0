"""What is told of the completions of a generation batch or of an evaluation: pure functions on plain lists.

Each figure is of one population, which `docs/metrics.md` names: all candidates sampled, those that ended by themselves,
or those that are kept. The rows are those of all processes, so that figures do not depend on how many there are. What
has nothing to be a figure of is NaN, which a log leaves out of its means.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from gpocli.contracts import length_pull
from gpocli.evaluation.figures import Answers
from gpocli.evaluation.figures import figures as figures_of
from gpocli.evaluation.grader import right_reward
from gpocli.evaluation.right import judged
from gpocli.trainers.generation_batch import Advantaged, Selected

Metrics = dict[str, list[float]]
"""What a log averages: by name, one value a generation batch or update."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A candidate as the figures count it.

    `length` is in tokens, `reward` the weighted sum of `rewards`; both are NaN where no reward was asked or applies.
    `raced` tells whether the candidate could be lost: a race went on beside it. `advantage` is NaN of one that is not
    in the loss, and in evaluation.
    """

    length: int
    finished: bool
    lost: bool
    kept: bool
    reward: float
    rewards: tuple[float, ...]
    raced: bool = False
    advantage: float = math.nan


def count(batch: Selected, reward_count: int, *, raced: bool, counts_truncated: bool = True) -> list[Counted]:
    """The candidates of a generation batch; those that only fill up a group are not kept.

    Those that the filter chose in a group that is not trained on are: figures are of what the policy does. They have no
    advantage. `counts_truncated` tells whether cut completions are in the loss.
    """
    trained, nothing = set(batch.trained), ((math.nan,) * reward_count, math.nan)
    advantages = dict(zip(batch.selection.kept, batch.advantages, strict=True)) if isinstance(batch, Advantaged) else {}
    counted = []
    for i, length in enumerate(batch.lengths):
        rewards, reward = batch.rewards.get(i, nothing)
        finished, lost = batch.rollout.finished[i], batch.rollout.lost[i]
        in_loss, kept = i in trained and (finished or counts_truncated), i in trained or i in batch.selection.left_out
        advantage = advantages.get(i, math.nan) if in_loss else math.nan
        counted.append(Counted(length, finished, lost, kept, reward, tuple(rewards), raced, advantage))
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
    return figures | pull_figures(candidates, group_size) | reward_figures(candidates, group_size, reward_names)


def evaluation_figures(
    completions: Sequence[Counted], group_size: int, reward_names: Sequence[str]
) -> dict[str, float]:
    """The figures of an evaluation, none of whose completions is stopped early or rejected."""
    figures = length_figures(completions) | reward_figures(completions, group_size, reward_names)
    return figures | measured_figures(completions, group_size, reward_names)


def measured_figures(completions: Sequence[Counted], group_size: int, reward_names: Sequence[str]) -> dict[str, float]:
    """What `gpo eval` tells, too: the median and the 90 % length, and the tokens that a right answer costs.

    The last is of groups that can be graded, and there where a reward tells what is right. Nothing without completions.
    """
    if not completions:
        return {}
    shape = (-1, group_size if len(completions) % group_size == 0 else 1)
    length_PN = np.array([one.length for one in completions], dtype=np.int64).reshape(shape)
    cut_PN = np.array([not one.finished for one in completions]).reshape(shape)
    whole = figures_of(Answers(np.zeros_like(cut_PN), length_PN, cut_PN))
    found = {f"completions/{name}": whole[name] for name in ("median_length", "length_90")}
    if (right := right_reward(reward_names)) is None:
        return found
    place = list(reward_names).index(right)
    paid_PN = np.array([one.rewards[place] for one in completions], dtype=np.float64).reshape(shape)
    answers, graded = judged({right: paid_PN}, right, length_PN, cut_PN)
    cost = figures_of(answers)["tokens_per_right"] if len(graded) else math.nan
    return found | {"completions/tokens_per_right": cost}


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


def pull_figures(candidates: Sequence[Counted], group_size: int) -> dict[str, float]:
    """Which way the kept candidates pull the length, with or without a filter."""
    lengths: list[float] = []
    advantages: list[float] = []
    for group in _groups(candidates, group_size):
        kept = [one for one in group if one.kept]
        # Equal rewards may have a mean that differs from them in 32 bits: of noise nothing is to be told.
        scale = 0.0 if is_flat(group) else 1.0
        lengths += [one.length for one in kept]
        advantages += [one.advantage * scale for one in kept]
    pull = length_pull.length_pull(lengths, advantages)
    return {
        "kept/advantage_length_correlation": pull.correlation,
        "kept/right_length": pull.right_length,
        "kept/wrong_length": pull.wrong_length,
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
        figures["frac_reward_zero_std"] = mean([is_flat(group) for group in _groups(candidates, group_size)])
    return figures


def is_flat(group: Sequence[Counted]) -> bool:
    """Whether no kept candidate of a group is told from another by its reward: every advantage is then 0."""
    return length_pull.is_flat(_known(candidate.reward for candidate in group if candidate.kept))


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


def _groups(candidates: Sequence[Counted], group_size: int) -> list[Sequence[Counted]]:
    return [candidates[start : start + group_size] for start in range(0, len(candidates), group_size)]


def _known(values: Iterator[float]) -> list[float]:
    return [value for value in values if value == value]
