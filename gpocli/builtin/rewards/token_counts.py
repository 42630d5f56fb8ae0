"""How long a completion is in tokens, and whether it ended by itself."""

from collections.abc import Sequence


def is_cut(
    tokens: Sequence[int], finished: bool | None, end_token_ids: Sequence[int] | None, max_tokens: int | None
) -> bool:
    """Whether a completion stopped at a limit rather than at an end token.

    `finished` decides where the trainer gives it. Without it a completion is cut when it has `max_tokens`
    tokens or more, unless its last one is known to be an end token.
    """
    if finished is not None:
        return not finished
    if max_tokens is None or len(tokens) < max_tokens:
        return False
    return not (end_token_ids and tokens and tokens[-1] in end_token_ids)
