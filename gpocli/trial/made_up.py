"""Completions made up from the data: right, wrong, empty, long and cut ones."""

import re
from collections.abc import Iterator
from typing import Any

from gpocli.builtin.rewards.accuracy import gold_answer
from gpocli.data import ROW_KEY, Rows
from gpocli.errors import counted
from gpocli.extensions import FilterExtension, RewardExtension
from gpocli.trial.samples import Candidate, Group, Samples

LIMIT = 256
"""Tokens of a completion that was cut, which is what a run's limit would be."""

REWARD = "accuracy"
"""The reward that made-up completions have, for the filters that look at rewards."""

GOLD_COLUMNS = ("answer", "solution", "gold", "ground_truth", "target", "label", "output", "response")
_PIECE = re.compile(r"\w+|[^\w\s]|\s")
_END = 0


def made_up(rows: Rows, gold_column: str | None = None) -> Samples:
    """Seven completions of each row, without any chance in them; a token is a word, a sign or a space.

    Right ones hold the value of `gold_column`, or of the first column that is called like one, and wrong ones that
    of another row. They have the reward `accuracy`: 1 for right, 0 for wrong and cut ones, and None for empty ones.
    """
    column = gold_column or next((name for name in GOLD_COLUMNS if name in rows.columns), None)
    # 42 is no worse than any other answer where nobody knows the right one.
    golds = ["42"] * len(rows) if column is None else [str(row[column]) for row in rows]
    label = "42" if column is None else "gold"
    words: dict[str, int] = {}
    groups = []
    for index, row in enumerate(rows):
        others = (gold for gold in (*golds[index + 1 :], *golds[:index]) if gold != golds[index])
        made = _completions(golds[index], next(others, f"not {golds[index]}"), label)
        place = rows.place(index)
        candidates = [_candidate(kind, place, text, reward, words) for kind, text, reward in made]
        groups.append(Group({**row, ROW_KEY: rows.lines[index]}, candidates))
    count = sum(len(group.candidates) for group in groups)
    origin = f"{count} made-up completions of {counted(len(rows), 'row')} of {rows.source}"
    hint = [] if column else ["the data has no column with answers; the completions answer 42"]
    return Samples(origin, groups, [*rows.notes, *hint])


def options_for(extension: FilterExtension | RewardExtension) -> dict[str, Any]:
    """The options that stand in for what a run would tell: the limit of tokens, where it has no default."""
    limit = extension.options.model_fields.get("max_tokens")
    return {"max_tokens": LIMIT} if limit is not None and (limit.is_required() or limit.default is None) else {}


def _completions(gold: str, wrong: str, label: str) -> Iterator[tuple[str, str, float | None]]:
    """Kind, text and reward of each completion."""
    short = "<think>I add them up.</think>"
    long = "<think>" + "\n".join(f"step {number}: I check it again" for number in range(1, 11)) + "</think>"
    endless = "<think>" + "\n".join(f"step {number}: I am not sure" for number in range(1, LIMIT))
    yield f"{label}, bare", gold, 1.0
    yield f"{label}, thought", f"{short}{gold}", 1.0
    yield f"{label}, boxed", f"{short}The answer is \\boxed{{{gold_answer(gold).strip()}}}", 1.0
    yield f"{label}, long", f"{long}{gold}", 1.0
    yield "wrong", f"{short}{wrong}", 0.0
    yield "empty", "", None
    yield "cut", endless, 0.0


def _candidate(kind: str, place: str, text: str, reward: float | None, words: dict[str, int]) -> Candidate:
    pieces = _PIECE.findall(text)
    finished = kind != "cut"
    if not finished:
        pieces = pieces[:LIMIT]
        text = "".join(pieces)
    tokens = [words.setdefault(piece, len(words) + 1) for piece in pieces] + ([_END] if finished else [])
    return Candidate(kind, f"the completion '{kind}' of {place}", text, tokens, finished, {REWARD: reward}, reward)
