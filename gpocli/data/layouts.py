"""Layouts that published sets have: which mapping reads the rows at hand, tried on them before it is named."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpocli.columns import STEPS, read_path
from gpocli.data.columns import PROMPT, map_columns, nearest_column
from gpocli.data.prompt import BadPromptError, read_prompt
from gpocli.data.rows import Rows

ANSWER = "answer"

_PROMPTS = tuple(
    "conversations:chat conversation:chat problem+choices:lettered question+choices:lettered question+options:lettered "
    "problem context+question question instruction+input instruction+context instruction query messages:chat "
    "chosen:chat chosen 0.value input text".split()
)
"""From the plain to the doubtful. Of columns that are there and fit, the first is meant. Capitals do not count."""

_GOLDS = tuple(
    "answer:hashes answer:boxed answer:letter answer:stated answer answerKey answer_idx reward_model.ground_truth:only "
    "reward_model.ground_truth reward_model:json.ground_truth ground_truth:only ground_truth final_answer:only "
    "final_answer expected_answer gold_answer gold answers.text[0] answers[0] 1.ground_truth.value".split()
)
_WORKED = tuple(
    f"{column}:{step}"
    for column in ("solution", "generated_solution", "output", "response")
    for step in ("boxed", "hashes", "stated")
)
_REPLIES = tuple(
    "target conversations:reply conversation:reply messages:reply chosen:reply output response completion:reply "
    "completion chosen solution".split()
)
_KEYS = ("ground_truth", "answer", "final_answer", "expected_answer")
"""Under which columns of objects hold a gold answer."""
_CHOICES = ("choices", "options")
_EXTRACTING = (":stated", ":boxed", ":hashes")
_WORDS = 8
"""A worked solution has so many at least: `the answer is 5` is an answer, which rewards read as it is."""
_TRIED = 50
"""Rows that a mapping is tried on."""
_ENOUGH = 0.8
"""The share of them that must have a prompt, or an answer: published sets have holes."""


def layout_of(rows: Rows) -> dict[str, str] | None:
    """The mapping of columns with which rows without a prompt column can be read; None when none is known.

    It names the gold answers too, where they can be told, and is tried on the first rows.
    """
    some = _first(rows)
    for prompt in _prompts(some):
        mapping = {PROMPT: prompt}
        if _reads(some, mapping):
            gold = gold_of(some)
            named = gold is not None and gold != ANSWER and prompt not in (gold, gold.partition(":")[0])
            return mapping | ({ANSWER: gold} if named and gold is not None else {})
    return None


def gold_of(rows: Rows) -> str | None:
    """The column, or the way into one, that holds the gold answers of rows: None when none is known."""
    some = _first(rows)
    ways = (*_GOLDS, *_nested(some), *_WORKED, *_REPLIES)
    return next((gold for one in ways if _holds_answers(some, gold := _spelt(one, some.columns))), None)


def why_no_prompt(rows: Rows) -> str | None:
    """Why the likeliest columns lead to no usable prompt in the first row; None where no such column is there."""
    for way in _prompts(rows):
        path = read_path(way, rows.columns)
        if path is None or len(rows) == 0 or (value := path.of(rows[0])) is None:
            continue
        try:
            read_prompt(value, chat=False, from_table=rows.is_of_table(0))
        except BadPromptError as reason:
            return f"'{way}' cannot be the prompt ({rows.place(0)}: {reason.detail})"
    return None


def _first(rows: Rows) -> Rows:
    return rows.select(range(min(len(rows), _TRIED)))


def _prompts(rows: Rows) -> Iterator[str]:
    near = nearest_column(PROMPT, rows.columns)
    if near is not None:
        yield near
    yield from (_spelt(way, rows.columns) for way in _PROMPTS)


def _spelt(way: str, columns: tuple[str, ...]) -> str:
    """A way, with the columns that it starts with as the source writes them."""
    names = {name.lower(): name for name in reversed(columns)} | {name: name for name in columns}

    def start(found: re.Match[str]) -> str:
        return names.get(found[0]) or names.get(found[0].lower()) or found[0]

    return "+".join(re.sub(r"^\w+", start, part) for part in way.split("+"))


def _nested(rows: Rows) -> Iterator[str]:
    """Ways to keys that are named for a gold answer, in columns of objects or of JSON that is held as text."""
    for column, value in rows[0].items() if len(rows) else ():
        step = ":json" if isinstance(value, str) else ""
        inner = STEPS["json"](value) if step and value.lstrip().startswith("{") else value
        if isinstance(inner, Mapping):
            yield from (f"{column}{step}.{key}" for key in _KEYS if key in inner)


def _reads(rows: Rows, mapping: Mapping[str, str]) -> bool:
    """Whether a mapping gives usable prompts, all of one form, with all that it names."""
    paths = [read_path(path, rows.columns) for path in mapping.values()]
    if any(path is None for path in paths):
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
    return _most(sum(_fits(gold, path.of(row), row) for row in rows), len(rows))


def _fits(way: str, value: Any, row: Mapping[str, Any]) -> bool:
    """Whether a way leads to what can be an answer, and does so for a reason."""
    if not isinstance(value, str | int | float) or isinstance(value, bool) or str(value).strip() == "":
        return False
    whole = row.get(way.partition(":")[0])
    if way.endswith(":letter"):
        return any(whole in range(len(choices)) for name in _CHOICES if isinstance(choices := row.get(name), list))
    if way.lower() == "answer:stated" and len(str(whole).split()) < _WORDS:
        return False
    # An extracted answer is less than what it was extracted from.
    return not way.endswith(_EXTRACTING) or str(value) != str(whole).strip()


def _most(count: int, total: int) -> bool:
    return count > 0 and count >= _ENOUGH * total
