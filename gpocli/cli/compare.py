"""`gpo compare`: runs side by side in the terminal, with what differs in their settings."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import plain_table, print_json, print_lines, print_table
from gpocli.cli.spec_command import AsJson

if TYPE_CHECKING:
    from gpocli.report.comparison import Comparison, Difference, Paired

RunPaths = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run directories; others are compared with the first.")
]
_WORDS = {
    "reward": ("reward", ".4f"),
    "accuracy": ("accuracy", ".4f"),
    "length": ("length of the kept", ".1f"),
    "length_all": ("length of all", ".1f"),
    "flat": ("flat groups", "share"),
    "cut": ("cut", "share"),
    "kept": ("kept", "share"),
    "lost": ("lost", "share"),
    "step_time": ("seconds a step", ".2f"),
}


def compare_command(paths: RunPaths, as_json: AsJson = False) -> None:
    """Put runs side by side: figures of the last tenth of the steps, differences on the same prompts, settings."""
    from dataclasses import asdict

    from gpocli.errors import SpecError
    from gpocli.report.comparison import compare
    from gpocli.runs.difference import differences
    from gpocli.runs.run import Run

    if len(paths) < 2:
        raise SpecError("runs are compared with each other; name two or more")
    runs = [Run.find(path) for path in paths]
    settings, compared = differences(runs), compare(runs)
    if as_json:
        rows = [asdict(one) for one in settings]
        print_json({"runs": [str(path) for path in paths], **asdict(compared), "differences": rows})
        return
    names = [str(path) for path in paths]
    _print_endings(names, compared)
    for name, one in zip(names[1:], compared.paired, strict=True):
        print_lines("", *_paired(name, names[0], one))
    print_lines("")
    print_table(plain_table(["setting", *names], [[one.setting, *map(_value, one.values)] for one in settings]))


def _print_endings(names: Sequence[str], compared: "Comparison") -> None:
    from gpocli.runs.step_figures import show

    rows = [["steps", *map(str, compared.steps)]]
    for field, (word, style) in _WORDS.items():
        values = [getattr(one, field) for one in compared.endings]
        if any(value is not None for value in values):
            rows.append([word, *(show(value, style) for value in values)])
    print_table(plain_table(["last tenth of the steps", *names], rows, right=names))


def _paired(name: str, first: str, one: "Paired") -> list[str]:
    from gpocli.errors import counted

    if one.reward is None and one.length is None:
        return [f"{name} and {first} share {counted(one.prompts, 'prompt')} in the last quarter: too few to compare"]
    heading = f"{name} less {first} on {counted(one.prompts, 'prompt')} of the last quarter (95 % interval)"
    return [heading, f"  reward {_interval(one.reward, '+.4f')}", f"  length {_interval(one.length, '+.2f')}"]


def _interval(one: "Difference | None", style: str) -> str:
    if one is None:
        return "-"
    low, high = (format(value, style) for value in (one.low, one.high))
    return f"{format(one.value, style)} ({low} to {high})"


def _value(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
