"""How `gpo data` shows what it found: as text for people and as JSON."""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gpocli.cli.console import plain_table, print_lines, print_table
from gpocli.errors import counted

_SHOWN = 10_000
"""Characters of a prompt that are printed for people."""

if TYPE_CHECKING:
    from gpocli.checks.data_report import DataReport, Need, Preview


def print_reports(reports: Sequence["DataReport"]) -> None:
    """Print counts, digest, columns and needs of each source."""
    for number, report in enumerate(reports):
        found = report.survey
        for_eval = " (to evaluate on)" if report.purpose == "eval" else ""
        usable = "not fit to train on"
        if found.rows is not None:
            form = "plain text" if isinstance(found.rows[0]["prompt"], str) else "chat messages"
            usable = f"{len(found.rows):,} with a usable prompt ({form})"
        print_lines(*([""] if number else []), f"{found.source}{for_eval}: {counted(found.total, 'row')}, {usable}")
        print_lines(*([f"sha256 {found.digest}"] if found.digest else []))
        if not found.kinds:
            continue
        named = {kind: 0 for counts in found.kinds.values() for kind in counts}
        headers = sorted(named, key=lambda kind: kind == "missing")
        cells = [[name, *(f"{counts.get(kind, 0):,}" for kind in headers)] for name, counts in found.kinds.items()]
        print_table(plain_table(["column", *headers], cells, right=headers))
        print_lines(*map(_need_line, report.needs))


def print_preview(preview: "Preview", needs: Sequence["Need"], count: int) -> None:
    """Print `count` prompts, the numbers of tokens, and needs."""
    rows = preview.rows
    print_lines(f"{rows.source}: {counted(len(rows), 'row')}; columns: {', '.join(rows.columns)}")
    for index in range(min(count, len(rows))):
        print_lines("", f"{rows.place(index)}, {_tokens(preview, index)}", _shortened(preview.texts[index]))
        print_lines(*(f"  {name}: {_brief(rows[index][name])}" for name in rows.columns if name != "prompt"))
    print_lines("", *_token_lines(preview))
    print_lines(*map(_need_line, needs))


def _need_line(need: "Need") -> str:
    if not need.columns:
        return f"reward {need.reward} needs no column"
    columns = ", ".join(f"'{name}'" for name in need.columns)
    state = "there" if not need.unread else f"there, {need.unread:,} cannot be read"
    if need.missing:
        missing = ", ".join(f"'{name}'" for name in need.missing)
        state = "not there" if len(need.columns) == 1 else f"{missing} not there"
    return f"reward {need.reward} needs {columns}: {state}"


def _token_lines(preview: "Preview") -> list[str]:
    least, median, most = preview.tokens
    longest = f"over {most:,} in the longest" if preview.cut else f"{most:,} at most"
    lines = [f"tokens a prompt: {least:,} at least, {median:,g} in the median, {longest}"]
    if preview.limit is None:
        return [*lines, "limit: none"]
    total = len(preview.counts)
    share = f"{preview.over:,} of {total:,} prompts over it ({preview.over / total:.1%})"
    return [*lines, f"limit: {preview.limit:,} ({preview.reason}); {share}"]


def _tokens(preview: "Preview", index: int) -> str:
    at_least = "over " if index in preview.cut else ""
    return f"{at_least}{preview.counts[index]:,} tokens"


def _shortened(text: str) -> str:
    """Both ends of a text that nobody would read on a terminal."""
    left = len(text) - _SHOWN
    return text if left <= 0 else f"{text[: _SHOWN // 2]}... ({left:,} characters) ...{text[-_SHOWN // 2 :]}"


def _brief(value: Any) -> str:
    if isinstance(value, str) and len(value) > _SHOWN:
        value = value[:_SHOWN]
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 100 else f"{text[:97]}..."


def report_as_dict(report: "DataReport", said: Callable[[str], str]) -> dict[str, Any]:
    """A report as JSON has it; `said` words faults and notes."""
    found = report.survey
    return {
        "purpose": report.purpose,
        "source": found.source,
        "rows": found.total,
        "usable": 0 if found.rows is None else len(found.rows),
        "chat": None if found.rows is None else not isinstance(found.rows[0]["prompt"], str),
        "sha256": found.digest,
        "columns": found.kinds,
        "rewards": [_need_as_dict(need) for need in report.needs],
        "faults": [said(fault) for fault in found.faults],
        "notes": [said(note) for note in found.notes],
        "named": {one.kind: {"count": one.count, "places": one.places} for one in found.named},
    }


def _need_as_dict(need: "Need") -> dict[str, Any]:
    return {"name": need.reward, "needs": need.columns, "missing": need.missing, "unread": need.unread}


def preview_as_dict(
    preview: "Preview", needs: Sequence["Need"], count: int, said: Callable[[str], str]
) -> dict[str, Any]:
    """A preview as JSON has it, with `count` prompts."""
    rows = preview.rows
    least, median, most = preview.tokens
    shown = [
        {
            "place": rows.place(index),
            "text": preview.texts[index],
            "tokens": preview.counts[index],
            "is_at_least": index in preview.cut,
            "columns": {name: rows[index][name] for name in rows.columns if name != "prompt"},
        }
        for index in range(min(count, len(rows)))
    ]
    return {
        "source": rows.source,
        "rows": len(rows),
        "columns": rows.columns,
        "prompts": shown,
        "tokens": {"least": least, "median": median, "most": most},
        "limit": preview.limit,
        "reason": preview.reason if preview.limit is not None else None,
        "over": preview.over,
        "rewards": [_need_as_dict(need) for need in needs],
        "notes": [said(note) for note in rows.notes],
    }
