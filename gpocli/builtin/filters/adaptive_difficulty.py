"""The shortest completions are kept, fewer of easy prompts (GFPO's adaptive difficulty, arXiv 2508.09726)."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastdigest import TDigest
from pydantic import Field

from gpocli.builtin.filters.length import Length
from gpocli.builtin.options import Options
from gpocli.contracts.filter import mean_rewards
from gpocli.extensions import FilterExtension

QUARTILES = (0.25, 0.5, 0.75)
LEVELS = ("very hard", "hard", "medium", "easy")
_CENTROIDS = 200
_NOISE = 1e-9

Count = Annotated[int, Field(ge=0)]


class AdaptiveDifficultyOptions(Options):
    """How many completions are kept at each difficulty, and from when on."""

    keep: Annotated[tuple[Count, Count, Count, Count] | None, Field(strict=False)] = None
    """How many to keep of very hard, hard, medium and easy groups, none above k. When not given: k, k, 3k/4
    and k/2 rounded up, at least 2, which for k = 8 of G = 16 is the paper's 8, 8, 6, 4."""

    warmup: int = Field(default=64, ge=0)
    """Groups to see before the quartiles are trusted; until then k of each group are kept."""


class AdaptiveDifficulty(Length):
    """Scores by length, and keeps as many of a group as its difficulty calls for.

    The difficulty of a group is the rank of the mean reward of all its candidates among the means of every
    group seen so far, kept as a t-digest: up to the first quartile is very hard, above the third easy. Equal
    means share the middle of their ranks, so that neither a task where most groups still get nothing nor one
    where most are solved counts as all easy or all hard. A group to which no reward applied keeps k.
    """

    needs_rewards = True  # of all candidates, so no group can race

    def __init__(self, options: AdaptiveDifficultyOptions) -> None:
        self.options = options
        self.digest = TDigest(max_centroids=_CENTROIDS)

    def keep_counts(
        self,
        keep: int,
        group_rewards: Sequence[Sequence[float]],
        all_mean_rewards: Sequence[float] | None = None,
    ) -> list[int]:
        """How many of each group to keep, after learning from all groups of the batch.

        `group_rewards` [P][G] are this process's groups. `all_mean_rewards` are the means of the groups of
        every process, which then all hold the same digest; without it this process's own are learnt from.
        """
        means_P = mean_rewards(group_rewards)
        seen = means_P if all_mean_rewards is None else all_mean_rewards
        # Sorted, so that the digest does not depend on how the batch was spread over processes.
        self.digest.batch_update(sorted(mean for mean in seen if math.isfinite(mean)))
        if self.digest.n_values < max(self.options.warmup, 1):
            return [keep] * len(means_P)
        counts = self.counts(keep)
        return [keep if math.isnan(mean) else counts[self._level(mean)] for mean in means_P]

    def _level(self, mean: float) -> int:
        """0 (very hard) to 3 (easy): how many quartiles lie below the rank of `mean`."""
        # Means of the same rewards differ by rounding with the order in which they were added.
        noise = _NOISE * max(1.0, abs(mean))
        below, up_to = self.digest.cdf_vec([mean - noise, mean + noise])
        return sum((below + up_to) / 2 > quartile for quartile in QUARTILES)

    def counts(self, keep: int) -> tuple[int, ...]:
        """How many to keep of very hard, hard, medium and easy groups, for k = `keep`."""
        if self.options.keep is not None:
            return self.options.keep
        return (keep, keep, max(math.ceil(keep * 3 / 4), min(keep, 2)), max(math.ceil(keep / 2), min(keep, 2)))

    def check_keep(self, keep: int) -> None:
        """Raise `ValueError` when one of the counts is above k = `keep`."""
        for level, count in zip(LEVELS, self.counts(keep), strict=True):
            if count > keep:
                raise ValueError(
                    f"option 'keep' wants {count} of {level} groups, but k is {keep}; "
                    f"raise k to {max(self.counts(keep))} or lower the count"
                )

    def state_dict(self) -> dict[str, Any]:
        """The digest of all groups seen so far, JSON-able."""
        return {"digest": self.digest.to_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned."""
        self.digest = TDigest.from_dict(state["digest"])


EXTENSION = FilterExtension(
    name="adaptive_difficulty",
    build=AdaptiveDifficulty,
    summary="keep the shortest completions, fewer of prompts that are easy by now",
    options=AdaptiveDifficultyOptions,
)
