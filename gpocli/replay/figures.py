"""What a replay comes to: reward and length of the kept, flat groups, and how far it kept the same as the run."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gpocli.replay.replay import Choice


@dataclass(frozen=True, slots=True)
class KeptFigures:
    """Figures of kept candidates; None where there are none.

    `reward` is the mean of the weighted sums that are known, of `rewarded` candidates; `length` is in tokens. `flat`
    is the share of groups whose kept have no two different rewards, among those with all rewards known.
    """

    groups: int
    kept: int
    rewarded: int
    reward: float | None
    length: float | None
    flat: float | None


@dataclass(frozen=True, slots=True)
class ReplayFigures:
    """A replay in figures: of all groups, and of the certain ones alone.

    `same` are groups of which exactly those were kept that the run kept; `overlap` is the share of the run's kept
    candidates that the replay keeps, too.
    """

    groups: int
    certain_groups: int
    same: int
    overlap: float | None
    recorded: KeptFigures
    replayed: KeptFigures
    certain: KeptFigures


@dataclass
class _Sums:
    groups: int = 0
    lengths: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    flat: list[bool] = field(default_factory=list)

    def add(self, lengths: Sequence[int], rewards: Sequence[float | None]) -> None:
        """Add a group; a reward is NaN where none applies, None where nobody asked."""
        known = [reward for reward in rewards if reward is not None and not math.isnan(reward)]
        self.groups += 1
        self.lengths += lengths
        self.rewards += known
        if rewards and None not in rewards:
            self.flat.append(len(set(known)) < 2)

    def figures(self) -> KeptFigures:
        return KeptFigures(
            groups=self.groups,
            kept=len(self.lengths),
            rewarded=len(self.rewards),
            reward=_mean(self.rewards),
            length=_mean(self.lengths),
            flat=_mean(self.flat),
        )


def replay_figures(choices: Iterable[Choice]) -> ReplayFigures:
    """The figures of the choices of a replay."""
    recorded, replayed, certain = _Sums(), _Sums(), _Sums()
    same = both = of_run = 0
    for choice in choices:
        of_record = [choice.group.candidates[place] for place in choice.recorded]
        rewards = [math.nan if one.reward is None else one.reward for one in of_record]
        recorded.add([one.length for one in of_record], rewards)
        replayed.add(choice.lengths, choice.rewards)
        if choice.is_certain:
            certain.add(choice.lengths, choice.rewards)
        same += choice.kept == choice.recorded
        both += len({*choice.kept} & {*choice.recorded})
        of_run += len(choice.recorded)
    return ReplayFigures(
        groups=recorded.groups,
        certain_groups=certain.groups,
        same=same,
        overlap=both / of_run if of_run else None,
        recorded=recorded.figures(),
        replayed=replayed.figures(),
        certain=certain.figures(),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
