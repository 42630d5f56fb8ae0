"""The report as one HTML file without scripts or anything from elsewhere, light and dark, narrow and wide."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from gpocli.report.comparison import Paired, compare
from gpocli.report.drawing import STROKES, colour, draw_chart, draw_lengths
from gpocli.report.evaluations import FIGURES, HEADERS, evaluation_rows
from gpocli.report.lengths import examples, lengths
from gpocli.report.series import Chart, charts
from gpocli.runs.difference import differences
from gpocli.runs.groups import RecordedGroup
from gpocli.runs.listing import Overview, overview
from gpocli.runs.records import CandidateRecord
from gpocli.runs.run import Run
from gpocli.runs.step_figures import show
from gpocli.runs.summary import summarize

EXAMPLES = 3
LONGEST = 2000
"""Characters of a text that are shown."""


def report(runs: Sequence[Run], *, refresh: int | None = None) -> str:
    """The page about runs; a browser asks for it anew every `refresh` seconds.

    Raises SpecError for damaged records, and where one of several runs is broken.
    """
    rows, lines = [overview(run) for run in runs], [run.metrics() for run in runs]
    names = [row.name for row in rows]
    parts = [
        _heading(rows),
        *(f"<p>{_swatch(i)}{_text(line)}</p>" for i, of in enumerate(lines) for line in summarize(of).lines()),
        "<h2>Curves</h2>",
        f'<div class="charts">{"".join(_figure(chart) for chart in charts(lines))}{_lengths(runs)}</div>',
        _evaluations(runs, names),
        _compared(runs, names),
        _guards(runs, names),
        *(_examples(run, name, i) for i, (run, name) in enumerate(zip(runs, names, strict=True))),
        _settings(runs, names),
    ]
    again = "" if refresh is None else f'<meta http-equiv="refresh" content="{refresh}">'
    style = files("gpocli.report").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{again}'
        f"<title>{_text(', '.join(names))}</title><style>{style}</style></head>\n<body>{''.join(parts)}</body></html>\n"
    )


def _heading(rows: Sequence[Overview]) -> str:
    headers = ["run", "state", "algorithm", "filter", "model", "steps", "reward", "length"]
    cells = [
        [
            f"{_swatch(i)}{_text(row.name)}",
            *map(_text, (row.state, row.algorithm or "-", " > ".join(row.filters) or "-", row.model or "-")),
            f"{row.steps}" if row.of is None else f"{row.steps}/{row.of}",
            show(row.reward, ".3f"),
            show(row.length, ".1f"),
        ]
        for i, row in enumerate(rows)
    ]
    return f"<h1>{'Runs' if len(rows) > 1 else 'Run'}</h1>{_table(headers, cells, numbers=3)}"


def _figure(chart: Chart) -> str:
    there = sorted({curve.kind for curve in chart.curves})
    words = [f"{chart.kinds[kind]} {STROKES[kind] and f'({STROKES[kind]})'}".strip() for kind in there]
    words = words if len(chart.kinds) > 1 else []
    return _drawn(chart.title, ", ".join(words), draw_chart(chart))


def _lengths(runs: Sequence[Run]) -> str:
    found = [lengths(run.candidates) for run in runs]
    if not any(found):
        return ""
    words = "of the kept: last tenth of the steps, first tenth (dashed)"
    return _drawn("Lengths at the start and at the end", words, draw_lengths(found))


def _drawn(title: str, words: str, svg: str) -> str:
    caption = f"<figcaption>{_text(title)} <span>{_text(words)}</span></figcaption>"
    return f"<figure>{caption}{svg}</figure>"


def _evaluations(runs: Sequence[Run], names: Sequence[str]) -> str:
    rows = [[_text(cell) for cell in row] for row in evaluation_rows(runs, names)]
    if not rows:
        return ""
    headers = [*HEADERS, *(word for word, _ in FIGURES.values())]
    words = "By gpo eval, with 95 % bootstrap intervals over prompts."
    table = _table(headers, rows, numbers=len(headers) - 3)
    return f'<h2>Evaluations</h2><p class="dim">{words}</p>{table}'


def _compared(runs: Sequence[Run], names: Sequence[str]) -> str:
    if len(runs) < 2:
        return ""
    paired = compare(runs).paired
    rows = [_paired(name, one) for name, one in zip(names[1:], paired, strict=True)]
    headers = [f"less {names[0]}", "prompts", "reward", "length"]
    words = "Kept completions of the same prompts in the last quarter of the steps, with 95 % bootstrap intervals."
    return f'<h2>Differences</h2><p class="dim">{words}</p>{_table(headers, rows, numbers=3)}'


def _paired(name: str, one: Paired) -> list[str]:
    shown = [
        "-" if found is None else f"{found.value:{style}} ({found.low:{style}} to {found.high:{style}})"
        for found, style in ((one.reward, "+.3f"), (one.length, "+.1f"))
    ]
    return [_text(name), str(one.prompts), *shown]


def _guards(runs: Sequence[Run], names: Sequence[str]) -> str:
    """What ended attempts: guards, signals and faults."""
    rows = [
        [_text(name), _text(str(one.get("began"))), _text(str(one.get("state"))), _text(str(one["reason"]))]
        for run, name in zip(runs, names, strict=True)
        for one in run.manifest.get("attempts", [])
        if one.get("reason")
    ]
    return f"<h2>Guards and faults</h2>{_table(['run', 'began', 'state', 'reason'], rows)}" if rows else ""


def _examples(run: Run, name: str, place: int) -> str:
    groups = examples(run.candidates, EXAMPLES)
    if not groups:
        return ""
    return f"<h2>{_swatch(place)}Examples of {_text(name)}</h2>{''.join(map(_group, groups))}"


def _group(group: RecordedGroup) -> str:
    heading = f"step {group.step}, group {group.number}, prompt {group.prompt_id}"
    in_order = sorted(group.candidates, key=lambda one: not one.kept)
    texts = "".join(_candidate(one) for one in in_order)
    return (
        f"<details open><summary>{_text(heading)}</summary><pre>{_text(_cut(group.prompt))}</pre>"
        f'<div class="texts">{texts}</div></details>'
    )


def _candidate(one: CandidateRecord) -> str:
    length = f"{one.length}+" if one.outcome == "lost" else str(one.length)
    score = ", ".join(map(show, one.filter_score or ())) or "-"
    facts = f"{one.outcome}, length {length}, reward {show(one.reward)}, score {score}, advantage {show(one.advantage)}"
    css = "text kept" if one.kept else "text"
    return f'<div class="{css}"><span class="dim">{_text(facts)}</span><pre>{_text(_cut(one.completion))}</pre></div>'


def _settings(runs: Sequence[Run], names: Sequence[str]) -> str:
    found = differences(runs) if len(runs) > 1 else []
    rows = [[_text(one.setting), *(_text(str(value)) for value in one.values)] for one in found]
    differing = f"<p>What differs:</p>{_table(['setting', *names], rows)}" if rows else ""
    whole = "".join(
        f"<details><summary>{_text(name)}</summary><pre>{_text(_spec_text(run))}</pre></details>"
        for run, name in zip(runs, names, strict=True)
    )
    return f"<h2>Settings</h2>{differing}{whole}"


def _spec_text(run: Run) -> str:
    try:
        return run.spec_path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _table(headers: Iterable[str], rows: Iterable[Sequence[str]], *, numbers: int = 0) -> str:
    """A table of cells that are HTML; the last `numbers` columns hold numbers."""
    headers = list(headers)

    def line(cells: Sequence[str], tag: str) -> str:
        first = len(headers) - numbers
        marks = ["" if place < first else ' class="number"' for place in range(len(headers))]
        return "".join(f"<{tag}{mark}>{cell}</{tag}>" for mark, cell in zip(marks, cells, strict=True))

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{line([*map(_text, headers)], "th")}</tr>{body}</table></div>'


def _swatch(run: int) -> str:
    return f'<span class="swatch" style="background: {colour(run)}"></span>'


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … ({len(text):,} characters)"


def _text(value: Any) -> str:
    return escape(str(value))
