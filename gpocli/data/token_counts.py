"""How many tokens prompts have, counted a block at a time, and of very long ones only as far as it matters."""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpocli.data.columns import PROMPT
from gpocli.data.rows import Rows
from gpocli.data.tokenizer import prompt_ids

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

COUNTED = 200_000
"""Characters of a prompt whose tokens are counted, or more where the limit may be higher: a line may hold a book."""
_OF_A_TOKEN = 16
"""Characters that no token has on average."""
_CUT_AWRY = 64
"""Tokens that the start of a text may have beyond those that it has within the whole."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """The number of tokens of each prompt. Those at the indices `cut` have at least so many, and are over the limit."""

    tokens: "array[int]"
    cut: frozenset[int] = frozenset()

    def told(self, index: int) -> str:
        """How a message gives the number of one prompt."""
        return f"over {self.tokens[index]}" if index in self.cut else str(self.tokens[index])


def count_tokens(
    rows: Rows,
    tokenizer: "PreTrainedTokenizerBase",
    chat_template_kwargs: Mapping[str, Any] | None = None,
    *,
    limit: int | None = None,
    look: Callable[[Rows, list[list[int]]], None] | None = None,
) -> TokenCounts:
    """How many tokens each prompt has; see `prompt_ids`. `look` is given the rows and tokens of each block.

    Of a prompt with very many characters only the first are counted when these alone are over the `limit`.
    """
    tokens, cut = array("L"), set()
    for block in rows.blocks():
        counts: dict[int, int] = {}
        for index, row in enumerate(block if limit is not None else ()):
            if _characters(row[PROMPT]) > _most(limit) and (least := _of_start(block, index, tokenizer, limit)):
                counts[index] = least
                cut.add(len(tokens) + index)
        rest = [index for index in range(len(block)) if index not in counts]
        if rest:
            some = block.select(rest)
            ids = prompt_ids(some, tokenizer, chat_template_kwargs)
            if look is not None:
                look(some, ids)
            counts |= zip(rest, map(len, ids), strict=True)
        tokens.extend(counts[index] for index in range(len(block)))
    return TokenCounts(tokens, frozenset(cut))


def _most(limit: int | None) -> int:
    return max(COUNTED, _OF_A_TOKEN * (limit or 0))


def _characters(prompt: Any) -> int:
    return len(prompt) if isinstance(prompt, str) else sum(len(message["content"]) for message in prompt)


def _of_start(block: Rows, index: int, tokenizer: "PreTrainedTokenizerBase", limit: int | None) -> int | None:
    """The tokens of the start of a long prompt if they are over the limit already; None if not."""
    prompt = block[index][PROMPT]
    text = prompt if isinstance(prompt, str) else "\n".join(message["content"] for message in prompt)
    count = len(tokenizer(text[: _most(limit)], add_special_tokens=False, verbose=False)["input_ids"])
    return count if limit is not None and count > limit + _CUT_AWRY else None
