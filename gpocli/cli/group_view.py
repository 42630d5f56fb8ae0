"""A recorded group as a person reads it: the prompt, the figures of its candidates, and the texts side by side."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rich.console import Group as Together
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gpocli.cli.console import plain_table
from gpocli.runs.step_figures import show

if TYPE_CHECKING:
    from gpocli.runs.groups import RecordedGroup
    from gpocli.runs.records import CandidateRecord

WIDE = 100
"""Columns from which on kept and dropped completions stand side by side."""
_STYLES = {"kept": "green", "rejected": "red", "lost": "yellow", "flat": "cyan"}


def group_view(group: "RecordedGroup", chosen: "Sequence[CandidateRecord]", width: int) -> Any:
    """What is printed of a group: all its candidates in the table, those chosen with their text."""
    heading = f"step {group.step}, group {group.number}, prompt {group.prompt_id}"
    parts: list[Any] = [Text(heading, style="bold"), Padding(Text(group.prompt), (0, 0, 1, 2)), _figures(group)]
    kept = [one for one in chosen if one.outcome == "kept"]
    dropped = [one for one in chosen if one.outcome != "kept"]
    return Together(*parts, Text(), _texts(kept, dropped, width))


def group_json(group: "RecordedGroup", chosen: "Sequence[CandidateRecord]") -> dict[str, Any]:
    """A group as plain values."""
    return {
        "step": group.step,
        "group": group.number,
        "prompt_id": group.prompt_id,
        "prompt": group.prompt,
        "candidates": [_candidate_json(one) for one in chosen],
    }


def _candidate_json(one: "CandidateRecord") -> dict[str, Any]:
    return {
        "candidate": one.candidate,
        "outcome": one.outcome,
        "reward": one.reward,
        "rewards": one.rewards,
        "length": one.length,
        "finished": one.finished,
        "filter_score": None if one.filter_score is None else list(one.filter_score),
        "advantage": one.advantage,
        "completion": one.completion,
    }


def _figures(group: "RecordedGroup") -> Table:
    names = list(dict.fromkeys(name for one in group.candidates for name in one.rewards))
    several = names if len(names) > 1 else []
    headers = ["candidate", "outcome", "reward", *several, "length", "score", "advantage"]
    rows = [
        [
            str(one.candidate),
            one.outcome,
            show(one.reward),
            *(show(one.rewards.get(name)) for name in several),
            _length(one),
            ", ".join(map(show, one.filter_score or ())) or "-",
            show(one.advantage),
        ]
        for one in group.candidates
    ]
    return plain_table(headers, rows, right=[*headers[:1], *headers[2:]])


def _length(one: "CandidateRecord") -> str:
    """`40`; `40+` of one that was stopped there, and would have been longer."""
    return f"{one.length}+" if one.outcome == "lost" else str(one.length)


def _texts(kept: "Sequence[CandidateRecord]", dropped: "Sequence[CandidateRecord]", width: int) -> Any:
    if width < WIDE or not kept or not dropped:
        return Together(*(Padding(_text(one), (0, 0, 1, 0)) for one in (*kept, *dropped)))
    table = Table(box=None, padding=(0, 2, 1, 0), expand=True, show_header=False)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    for left, right in zip_longest(kept, dropped):
        table.add_row(*("" if one is None else _text(one) for one in (left, right)))
    return table


def _text(one: "CandidateRecord") -> Text:
    heading = f"[{one.candidate}] {one.outcome}, length {_length(one)}, reward {show(one.reward)}"
    if not one.finished and one.outcome != "lost":
        heading += ", cut"
    return Text.assemble((heading, _STYLES.get(one.outcome, "")), "\n", one.completion)
