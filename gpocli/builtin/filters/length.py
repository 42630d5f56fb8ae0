"""The shortest completions are kept (GFPO's "Shortest k/G", arXiv 2508.09726)."""

from collections.abc import Sequence
from typing import Any

from gpocli.extensions import FilterExtension


class Length:
    """Scores a completion with minus its length in tokens, from `completion_lengths`, else `completion_ids`.

    The score depends on the candidate alone and needs no reward, so a group can race.
    """

    needs_rewards = False

    def __call__(
        self,
        group_completions: Sequence[Sequence[Any]],
        group_rewards: Sequence[Sequence[float]] | None,
        completion_lengths: Sequence[Sequence[int]] | None = None,
        completion_ids: Sequence[Sequence[Sequence[int]]] | None = None,
    ) -> list[list[float]]:
        lengths_PG = token_lengths(completion_lengths, completion_ids)
        return [[-float(length) for length in lengths_G] for lengths_G in lengths_PG]

    def score_bound(self, length: int) -> float:
        """A completion that has `length` tokens and has not ended will have at least one more."""
        return -float(length + 1)


def token_lengths(
    completion_lengths: Sequence[Sequence[int]] | None,
    completion_ids: Sequence[Sequence[Sequence[Any]]] | None,
) -> list[list[int]]:
    """The tokens [P][G] that the policy wrote, the end token included.

    `completion_lengths` is taken where there is one, else the number of `completion_ids`. Text is never
    counted: characters are not tokens. Raises `ValueError` when neither is there.
    """
    if completion_lengths is not None:
        return [list(lengths) for lengths in completion_lengths]
    if completion_ids is not None:
        return [[len(ids) for ids in group] for group in completion_ids]
    raise ValueError("lengths are counted in tokens; pass completion_lengths or completion_ids")


EXTENSION = FilterExtension(
    name="length",
    build=lambda options: Length(),
    summary="keep the shortest completions, counted in tokens",
)
