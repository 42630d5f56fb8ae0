"""Layouts that published sets have: which mapping reads the rows at hand, tried on them before it is named."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from gpocli.columns import read_path
from gpocli.data.columns import PROMPT, map_columns, nearest_column
from gpocli.data.prompt import BadPromptError, read_prompt
from gpocli.data.rows import Rows

ANSWER = "answer"

_PROMPTS = tuple(
    "conversations:chat conversation:chat problem context+question question instruction+input instruction+context "
    "instruction query messages:chat chosen:chat chosen input text".split()
)
"""From the plain to the doubtful. Of columns that are there and fit, the first is meant."""

_GOLDS = tuple(
    "answer:hashes answer reward_model.ground_truth reward_model:json.ground_truth ground_truth final_answer "
    "expected_answer gold_answer gold answers.text[0] answers[0] solution:boxed solution:hashes output:boxed "
    "response:boxed response:stated target conversations:reply conversation:reply messages:reply chosen:reply "
    "output response completion:reply completion chosen solution".split()
)
_TRIED = 50
"""Rows that a mapping is tried on."""
_ENOUGH = 0.8
"""The share of them that must have a prompt, or an answer: published sets have holes."""


def layout_of(rows: Rows) -> dict[str, str] | None:
    """The mapping of columns with which rows without a prompt column can be read; None when none is known.

    It names the gold answers too, where they can be told, and is tried on the first rows.
    """
    some = _first(rows)
    near = nearest_column(PROMPT, rows.columns)
    for prompt in (*([near] if near else []), *_PROMPTS):
        mapping = {PROMPT: prompt}
        if _reads(some, mapping):
            gold = gold_of(some)
            named = gold is not None and gold != ANSWER and prompt not in (gold, gold.partition(":")[0])
            return mapping | ({ANSWER: gold} if named and gold is not None else {})
    return None


def gold_of(rows: Rows) -> str | None:
    """The column, or the way into one, that holds the gold answers of rows: None when none is known."""
    some = _first(rows)
    return next((gold for gold in _GOLDS if _holds_answers(some, gold)), None)


def _first(rows: Rows) -> Rows:
    return rows.select(range(min(len(rows), _TRIED)))


def _reads(rows: Rows, mapping: Mapping[str, str]) -> bool:
    """Whether a mapping gives usable prompts, all of one form."""
    if any(read_path(path, rows.columns) is None for path in mapping.values()):
        return False
    mapped = map_columns(rows, mapping)
    is_table = mapped.is_of_table(0)
    usable = [prompt for row in mapped if (prompt := _prompt(row[PROMPT], is_table)) is not None]
    return _most(len(usable), len(rows)) and len({type(prompt) for prompt in usable}) == 1


def _prompt(prompt: Any, is_table: bool) -> Any:
    try:
        return read_prompt(prompt, chat=False, from_table=is_table)
    except BadPromptError:
        return None


def _holds_answers(rows: Rows, gold: str) -> bool:
    path = read_path(gold, rows.columns)
    if path is None:
        return False
    fits = _fits_step if gold.endswith((":stated", ":boxed", ":hashes")) else _fits
    return _most(sum(fits(path.of(row), row[path.column]) for row in islice(rows, _TRIED)), len(rows))


def _fits(value: Any, whole: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip() != ""


def _fits_step(value: Any, whole: Any) -> bool:
    """An extracted answer is less than what it was extracted from."""
    return _fits(value, whole) and str(value) != str(whole).strip()


def _most(count: int, total: int) -> bool:
    return count > 0 and count >= _ENOUGH * total
