"""Prompts that are over the limit, found with the tokenizer's files alone."""

from array import array
from pathlib import Path
from typing import Any

from gpocli.checks.model import context_of
from gpocli.data import Rows
from gpocli.data.named import NamedRows
from gpocli.data.prompt_lengths import over_limit, prompt_limit
from gpocli.data.token_counts import count_tokens
from gpocli.data.tokenizer import light_tokenizer
from gpocli.embedded import model_folder
from gpocli.errors import SpecError
from gpocli.policy.files import TokenizerFiles
from gpocli.spec import RunSpec

OVER_LIMIT = "over_limit"
_AROUND = 16
"""Tokens that a tokenizer puts around a text, at most."""


def add_long(named: NamedRows, spec: RunSpec, rows: Rows) -> None:
    """Name the rows with more tokens than a run of the spec takes; none where its tokenizer is not at hand."""
    folder = model_folder(spec.model.name)
    try:
        limit, reason = prompt_limit(spec.data.max_prompt_tokens, context_of(folder), spec.sampling.max_tokens)
    except SpecError:  # no prompt could ever fit, which is told elsewhere
        return
    longer = array("Q") if limit is None else _may_be_longer(rows, limit, TokenizerFiles(folder).template)
    if limit is None or not longer or (tokenizer := _light(folder)) is None:
        return
    some = rows.select(longer)
    counts = count_tokens(some, tokenizer, spec.trl.get("chat_template_kwargs"), limit=limit)
    for index, count in enumerate(counts.tokens):
        if count > limit:
            place = some.place(index)
            named.add(OVER_LIMIT, place, f"{place}: {over_limit(counts, index, limit, reason)}")


def _light(folder: Path) -> Any:
    return light_tokenizer(folder) if (folder / "config.json").is_file() else None


def _may_be_longer(rows: Rows, limit: int, template: str | None) -> "array[int]":
    """The rows whose prompt might have more tokens than the limit, for none has more tokens than bytes."""
    around = len(template or "")
    return array("Q", (index for index, row in enumerate(rows) if _bytes(row["prompt"], around) > limit))


def _bytes(prompt: Any, around: int) -> int:
    if isinstance(prompt, str):
        return len(prompt.encode()) + _AROUND
    return sum(len(message["content"].encode()) + around for message in prompt) + around
