"""Prompts that are too long, found before training rather than cut in it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from gpocli.data import Rows
from gpocli.data.stream import StreamedRows
from gpocli.errors import SpecError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def prompt_token_counts(
    rows: Rows, tokenizer: "PreTrainedTokenizerBase", chat_template_kwargs: Mapping[str, Any] | None = None
) -> list[int]:
    """Tokens of each prompt as the trainer feeds it to the model: through the chat template when it is a chat.

    Raises SpecError when the prompts are chats and the tokenizer has no chat template, or one that refuses them.
    """
    prompts = [row["prompt"] for row in rows]
    if isinstance(prompts[0], str):
        encoded = tokenizer(text=prompts, verbose=False)
    elif tokenizer.chat_template is None:
        raise SpecError(
            f"{rows.source}: prompts are chat messages, but the model's tokenizer has no chat template; "
            "write plain text prompts, or name a chat model"
        )
    else:
        encoded = _through_template(rows.source, prompts, tokenizer, chat_template_kwargs or {})
    return [len(ids) for ids in encoded["input_ids"]]


def _through_template(
    source: str, prompts: list[Any], tokenizer: "PreTrainedTokenizerBase", chat_template_kwargs: Mapping[str, Any]
) -> Any:
    from jinja2 import TemplateError

    try:
        return tokenizer.apply_chat_template(
            prompts,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            tokenizer_kwargs={"verbose": False},
            **chat_template_kwargs,
        )
    except TemplateError as error:
        raise SpecError(
            f"{source}: the model's chat template refuses a prompt ({error}); change the messages or their roles"
        ) from error


def fit_prompts(
    rows: Rows,
    counts: Sequence[int],
    *,
    max_prompt_tokens: int | None,
    context: int | None,
    max_new_tokens: int,
    overlong: Literal["refuse", "drop"] = "refuse",
    count: Callable[[Rows], list[int]] | None = None,
) -> Rows:
    """The rows whose prompts leave room for `max_new_tokens` in the model's `context` and keep `max_prompt_tokens`.

    All figures are in tokens; `counts` are those of `prompt_token_counts`; None is no limit. Raises SpecError when
    a prompt is too long (with "drop": only when every one is) or when no prompt could ever fit. Streamed rows need
    `count`, with which those that come later are judged when they are read.
    """
    limit, reason = prompt_limit(max_prompt_tokens, context, max_new_tokens)
    if isinstance(rows, StreamedRows) and limit is not None:
        assert count is not None
        rows = rows.fitting(_Fits(count, limit, reason, overlong))
    fitting = [index for index, count in enumerate(counts) if limit is None or count <= limit]
    if len(fitting) == len(counts):
        return rows
    first = next(index for index, count in enumerate(counts) if limit is not None and count > limit)
    remark = (
        f"{rows.place(first)}: prompt of {counts[first]} tokens, over the limit of {limit} ({reason}); "
        f"{len(counts) - len(fitting)} of {len(counts)} prompts are too long, the longest has {max(counts)} tokens"
    )
    if overlong == "refuse":
        raise SpecError(f"{remark}; shorten them, or set data.overlong=drop")
    if not fitting:
        raise SpecError(f"{remark}; shorten them, or lower sampling.max_tokens")
    return rows.select(fitting, f"dropped rows with a prompt that is too long: {remark}")


class _Fits:
    """Whether one streamed row has a prompt within the limit. Raises SpecError unless such rows are to be dropped."""

    def __init__(self, count: Callable[[Rows], list[int]], limit: int, reason: str, overlong: str) -> None:
        self.count, self.limit, self.reason, self.overlong = count, limit, reason, overlong

    def __call__(self, row: Rows) -> bool:
        (tokens,) = self.count(row)
        if tokens > self.limit and self.overlong == "refuse":
            raise SpecError(
                f"{row.place(0)}: prompt of {tokens} tokens, over the limit of {self.limit} ({self.reason}); shorten "
                "it, or set data.overlong=drop"
            )
        return tokens <= self.limit


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
