"""`gpo runs`: which runs there are and where they stand, one of them whole, in what they differ, and away with some."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.console import console, plain_table, print_json, print_lines, print_table
from gpocli.cli.spec_command import AsJson

if TYPE_CHECKING:
    from gpocli.runs.best import Best
    from gpocli.runs.listing import Overview
    from gpocli.runs.run import Run

app = typer.Typer(help="List, show, compare and remove runs.", no_args_is_help=True, rich_markup_mode="rich")

FEW = 100
"""Rows from which on a table is only text."""
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.", show_default=False)]
RunPaths = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories.", show_default=False)]
Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FOLDER...", help="Where to look, runs if not said.", show_default=False),
]


@app.command("list")
def list_runs(folders: Folders = None, as_json: AsJson = False) -> None:
    """List the runs in a folder, three levels deep, those going on and broken ones too."""
    from dataclasses import asdict

    from gpocli.runs.listing import find_runs, overview

    rows = [overview(run) for run in find_runs(folders or [Path("runs")])]
    if as_json:
        print_json([asdict(row) for row in rows])
    elif rows:
        headers = ("run", "state", "algorithm", "filter", "model", "steps", "reward", "length", "size")
        right = ("steps", "reward", "length", "size")
        _print_many(headers, [_row(row) for row in rows], right)
    else:
        print_lines("no runs here")


@app.command("show")
def show_run(path: RunPath, as_json: AsJson = False) -> None:
    """Show a run: where it stands, what it is, how reward and length moved, and what it left."""
    from dataclasses import asdict

    from gpocli.runs.listing import overview
    from gpocli.runs.run import Run
    from gpocli.runs.summary import summarize

    run = Run.find(path)
    row, summary = overview(run), summarize(run.metrics())
    if as_json:
        left = {
            "checkpoints": [str(one) for one in run.checkpoints],
            "best": None if (best := _best(run)) is None else asdict(best) | {"checkpoint": str(best.checkpoint)},
            "model_path": str(run.model_path) if run.has_model else None,
            "evaluations": [str(one) for one in run.evaluations],
            "recorded_steps": len(run.candidates.steps),
        }
        print_json(asdict(row) | left | {"summary": asdict(summary), "manifest": run.manifest})
        return
    facts = [*_facts(row), *_left(run)]
    print_lines(*(f"{word + ':':<13}{text}" for word, text in facts), "", *summary.lines())


@app.command("diff")
def diff_runs(paths: RunPaths, as_json: AsJson = False) -> None:
    """Show the settings in which runs differ."""
    from dataclasses import asdict

    from gpocli.errors import SpecError
    from gpocli.runs.difference import differences
    from gpocli.runs.run import Run

    if len(paths) < 2:
        raise SpecError("runs differ from each other; name two or more")
    runs = [Run.find(path) for path in paths]
    found = differences(runs)
    if as_json:
        print_json({"runs": [str(run.path) for run in runs], "differences": [asdict(one) for one in found]})
    elif found:
        rows = [[one.setting, *map(_value, one.values)] for one in found]
        print_table(plain_table(["setting", *(str(path) for path in paths)], rows))
    else:
        print_lines("the same settings")


@app.command("rm")
def remove_runs(paths: RunPaths, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Remove runs with all they hold, after asking; never one that is going on."""
    from gpocli.errors import SpecError
    from gpocli.runs.listing import show_size
    from gpocli.runs.removal import remove_run
    from gpocli.runs.run import Run

    runs = [Run.find(path) for path in paths]
    for run in runs:
        if run.is_running:
            raise SpecError(f"'{run.path}' is going on; stop it first")
    print_lines(*(f"{run.path}: {show_size(run.size())}" for run in runs))
    if not yes and not _agreed(len(runs)):
        raise typer.Exit(1)
    for run in runs:
        remove_run(run)


def _print_many(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str]) -> None:
    """Print a table; one of hundreds of rows without what a terminal could have of it, which takes seconds."""
    if len(rows) <= FEW:
        print_table(plain_table(headers, rows, right=right))
        return
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    sides = [str.rjust if header in right else str.ljust for header in headers]
    lines = (
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)).rstrip()
        for row in (headers, *rows)
    )
    print_lines("\n".join(lines))


def _agreed(count: int) -> bool:
    from gpocli.errors import SpecError, counted

    try:
        return typer.confirm(f"remove {counted(count, 'run')} with all files?")
    except typer.Abort:
        raise SpecError("nobody is there to ask; write --yes to remove without asking") from None


def _row(row: "Overview") -> list[str]:
    from gpocli.runs.listing import show_size
    from gpocli.runs.step_figures import show

    return [
        row.path,
        row.state,
        row.algorithm or "-",
        " > ".join(row.filters) or "-",
        row.model or "-",
        _steps(row),
        show(row.reward, ".3f"),
        show(row.length, ".1f"),
        show_size(row.size),
    ]


def _steps(row: "Overview") -> str:
    return str(row.steps) if row.of is None else f"{row.steps}/{row.of}"


def _facts(row: "Overview") -> list[tuple[str, str]]:
    from gpocli.runs.listing import show_size

    return [
        ("run", row.path),
        ("state", row.state),
        ("algorithm", row.algorithm or "-"),
        ("filter", " > ".join(row.filters) or "none"),
        ("model", row.model or "-"),
        ("steps", _steps(row)),
        ("size", show_size(row.size)),
    ]


def _left(run: "Run") -> list[tuple[str, str]]:
    checkpoints: Sequence[Path] = run.checkpoints
    recorded, best = run.candidates.steps, _best(run)
    return [
        ("checkpoints", ", ".join(_checkpoint(one, best) for one in checkpoints) or "none"),
        ("final model", str(run.model_path) if run.has_model else "none"),
        ("recorded", f"steps {recorded[0]} to {recorded[-1]}" if recorded else "no candidates"),
        ("evaluations", ", ".join(one.name for one in run.evaluations) or "none"),
    ]


def _best(run: "Run") -> "Best | None":
    from gpocli.errors import SpecError

    try:
        return run.best
    except SpecError:  # a broken run
        return None


def _checkpoint(path: Path, best: "Best | None") -> str:
    if best is None or best.checkpoint != path:
        return path.name
    return f"{path.name} (best {best.metric}: {best.value:.4g})"


def _value(value: Any) -> str:
    import json

    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if console.is_terminal or len(text) < 200 else text[:199] + "…"
