"""How long a completion is, for the filters that look at length."""

from collections.abc import Sequence
from typing import Any


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
