"""Short right answers are kept beside long wrong ones, in balance, so that reward falls with length among the kept."""

import math
import zlib
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, ClassVar, Literal

from pydantic import Field

from gpocli.builtin.filters.correct import reward_by_name
from gpocli.builtin.filters.length import token_lengths
from gpocli.builtin.options import Options
from gpocli.contracts.completion import completion_text
from gpocli.contracts.length_pull import is_flat
from gpocli.extensions import FilterExtension

LINES = 10
"""Lines of the log that a mean reward is of."""


class ContrastOptions(Options):
    """What counts as right, and how much of it is kept."""

    share: float = Field(default=0.5, gt=0, lt=1)
    """The share of right ones among the kept; a side with too few leaves its places to the other."""

    threshold: float | None = Field(default=None, allow_inf_nan=False)
    """A completion is right when its reward is higher than this; than the mean of its group when not given."""

    reward: str | None = Field(default=None, min_length=1)
    """The name of the reward that tells right from wrong; the weighted sum of all rewards when not given."""

    cut: Literal["in", "out"] = "in"
    """Whether answers that were cut at the limit of tokens count as long ones (in), or are kept where nothing else is
    left (out)."""

    slack: float | None = Field(default=0.1, gt=0, allow_inf_nan=False)
    """How far the mean reward of all candidates, of ten lines of the log, may fall from its best before length is left
    alone; null: as far as it will."""


class Contrast:
    """Scores a candidate with minus its rank: right ones by rising, wrong ones by falling length, in turn.

    Advantages sum to zero over the kept, so that they teach to write less only as far as reward falls with length among
    them. That takes both sides: short right answers, which gain, and long wrong ones, which lose. The first ranks hold
    both in the wanted share however many are kept.

    - Rewards that are not only 0 and 1: the right ones with the most reward come first, the wrong ones with the least,
      and length decides among equal ones.
    - A group on one side of the threshold is parted at the mean of its rewards. Of one whose rewards are all equal,
      which teaches nothing, the shortest are kept.
    - A model that gives up writes short wrong answers. The longest wrong ones never include these, so that nothing
      speaks against them while short is what gains. Therefore the mean reward of all candidates is watched: once it has
      fallen by more than `slack` from its best, length is left alone until it is back. Both sides are then kept in
      balance, and as they come, which teaches what is right at whatever length.
    - Candidates to which no reward applies come last.
    - Equal ones are ranked by lots that the texts of the group draw, identical ones by index.
    """

    why_no_race: ClassVar[str] = "a candidate that still runs may become the longest wrong answer of its group"

    def __init__(self, options: ContrastOptions) -> None:
        self.options = options

    def __call__(
        self,
        group_completions: Sequence[Sequence[Any]],
        group_rewards: Sequence[Sequence[float]],
        rewards_per_func: Mapping[str, Sequence[Sequence[float | None]]] | None = None,
        completion_lengths: Sequence[Sequence[int]] | None = None,
        completion_ids: Sequence[Sequence[Sequence[int]]] | None = None,
        finished: Sequence[Sequence[bool]] | None = None,
        trainer_state: Any = None,
    ) -> list[list[float]]:
        rewards_PG = reward_by_name("contrast", self.options.reward, group_rewards, rewards_per_func or {})
        lengths_PG = token_lengths(completion_lengths, completion_ids)
        by_length = not self._has_fallen(trainer_state)
        scores_PG = []
        for g, completions_G in enumerate(group_completions):
            written = [completion_text(one) for one in completions_G] if completion_ids is None else completion_ids[g]
            is_in = [True] * len(written) if finished is None or self.options.cut == "in" else list(finished[g])
            known_G = _known(rewards_PG[g])
            order = self._ranked(known_G, lengths_PG[g] if by_length else [0] * len(written), _lots(written), is_in)
            rank_of = {candidate: rank for rank, candidate in enumerate(order)}
            scores_PG.append([-float(rank_of[candidate]) for candidate in range(len(order))])
        return scores_PG

    def _ranked(
        self, rewards_G: Sequence[float], lengths_G: Sequence[int], lots_G: Sequence[int], is_in_G: Sequence[bool]
    ) -> list[int]:
        """The candidates of a group, the first to be kept first."""
        ranked = [i for i, reward in enumerate(rewards_G) if is_in_G[i] and not math.isnan(reward)]
        right, wrong = _sides(ranked, rewards_G, self.options.threshold)
        right.sort(key=lambda i: (-rewards_G[i], lengths_G[i], lots_G[i]))
        wrong.sort(key=lambda i: (rewards_G[i], -lengths_G[i], lots_G[i]))
        left = [i for i in range(len(rewards_G)) if i not in set(ranked)]
        left.sort(key=lambda i: (math.isnan(rewards_G[i]), lengths_G[i], lots_G[i]))
        return in_turn(right, wrong, self.options.share) + left

    def _has_fallen(self, trainer_state: Any) -> bool:
        """Whether the reward is too far below its best. The log is that of all processes, and survives a resume."""
        told = [line.get("candidates/reward") for line in getattr(trainer_state, "log_history", ())]
        rewards = [reward for reward in told if reward is not None and math.isfinite(reward)]
        sums = [0.0, *accumulate(rewards)]
        means = [(end - start) / LINES for start, end in zip(sums, sums[LINES:], strict=False)]
        return bool(means) and self.options.slack is not None and max(means) - means[-1] > self.options.slack


def _sides(
    candidates: Sequence[int], rewards_G: Sequence[float], threshold: float | None
) -> tuple[list[int], list[int]]:
    """The right and the wrong ones; without any difference all are right."""
    rewards = [rewards_G[i] for i in candidates]
    if is_flat(rewards):
        return list(candidates), []
    middle = threshold
    if middle is None or not min(rewards) <= middle < max(rewards):
        middle = math.fsum(rewards) / len(rewards)
    return [i for i in candidates if rewards_G[i] > middle], [i for i in candidates if rewards_G[i] <= middle]


def in_turn(right: Sequence[int], wrong: Sequence[int], share: float) -> list[int]:
    """Both sides as one order whose every beginning has the share of right ones; with a half: right, wrong, right."""
    places = [(round(place / share, 9), 0, one) for place, one in enumerate(right)]
    places += [(round((place + 0.5) / (1 - share), 9), 1, one) for place, one in enumerate(wrong)]
    return [one for *_, one in sorted(places, key=lambda entry: entry[:2])]


def _known(rewards_G: Sequence[float | None]) -> list[float]:
    return [math.nan if reward is None else reward for reward in rewards_G]


def _lots(written_G: Sequence[str | Sequence[int]]) -> list[int]:
    """A number for each text. It hangs on the others of its group, in any order, so that none is favoured for ever."""
    own_G = [zlib.crc32(one.encode() if isinstance(one, str) else repr(list(one)).encode()) for one in written_G]
    return [zlib.crc32(f"{sum(own_G)}:{own}".encode()) for own in own_G]


EXTENSION = FilterExtension(
    name="contrast",
    build=Contrast,
    summary="keep short right answers beside long wrong ones: answers become shorter",
    options=ContrastOptions,
)
