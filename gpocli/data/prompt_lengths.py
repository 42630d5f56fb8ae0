"""Prompts that are too long, found before training rather than cut in it."""

from array import array
from collections.abc import Callable
from typing import Literal

from gpocli.data import Rows
from gpocli.data.stream import StreamedRows
from gpocli.data.token_counts import TokenCounts
from gpocli.errors import SpecError


def fit_prompts(
    rows: Rows,
    counts: TokenCounts,
    *,
    max_prompt_tokens: int | None,
    context: int | None,
    max_new_tokens: int,
    overlong: Literal["refuse", "drop"] = "refuse",
    count: Callable[[Rows], TokenCounts] | None = None,
) -> Rows:
    """The rows whose prompts leave room for `max_new_tokens` in the model's `context` and keep `max_prompt_tokens`.

    All figures are in tokens; `counts` are those of `count_tokens`; None is no limit. Raises SpecError when
    a prompt is too long (with "drop": only when every one is) or when no prompt could ever fit. Streamed rows need
    `count`, with which those that come later are judged when they are read.
    """
    limit, reason = prompt_limit(max_prompt_tokens, context, max_new_tokens)
    if limit is None:
        return rows
    if isinstance(rows, StreamedRows):
        assert count is not None
        rows = rows.fitting(_judge(count, limit, reason, overlong))
    tokens = counts.tokens
    fitting = array("Q", (index for index, one in enumerate(tokens) if one <= limit))
    if len(fitting) == len(tokens):
        return rows
    first = next(index for index, one in enumerate(tokens) if one > limit)
    longest = max(range(len(tokens)), key=tokens.__getitem__)
    remark = (
        f"{rows.place(first)}: {over_limit(counts, first, limit, reason)}; {len(tokens) - len(fitting)} of "
        f"{len(tokens)} prompts are too long, the longest has {counts.told(longest)} tokens"
    )
    if overlong == "refuse":
        raise SpecError(f"{remark}; shorten them, or set data.overlong=drop")
    if not fitting:
        raise SpecError(f"{remark}; shorten them, or lower sampling.max_tokens")
    return rows.select(fitting, f"dropped rows with a prompt that is too long: {remark}")


def over_limit(counts: TokenCounts, index: int, limit: int, reason: str) -> str:
    """What is said of a prompt that is too long."""
    return f"prompt of {counts.told(index)} tokens, over the limit of {limit} ({reason})"


def _judge(count: Callable[[Rows], TokenCounts], limit: int, reason: str, overlong: str) -> Callable[[Rows], bool]:
    """Whether one streamed row has a prompt within the limit. Raises SpecError unless such rows are to be dropped."""

    def fits(row: Rows) -> bool:
        counts = count(row)
        is_over = counts.tokens[0] > limit
        if is_over and overlong == "refuse":
            told = over_limit(counts, 0, limit, reason)
            raise SpecError(f"{row.place(0)}: {told}; shorten it, or set data.overlong=drop")
        return not is_over

    return fits


def prompt_limit(max_prompt_tokens: int | None, context: int | None, max_new_tokens: int) -> tuple[int | None, str]:
    """The most tokens that a prompt may have (None: any number), and why. Raises SpecError when none could fit."""
    room = None if context is None else context - max_new_tokens
    if room is not None and room < 1:
        raise SpecError(
            f"sampling.max_tokens={max_new_tokens} leaves no room for a prompt in the model's context of {context} "
            "tokens; lower it"
        )
    if max_prompt_tokens is not None and (room is None or max_prompt_tokens <= room):
        return max_prompt_tokens, "data.max_prompt_tokens"
    return room, f"the model's context of {context} less {max_new_tokens} new tokens"
