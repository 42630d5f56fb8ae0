"""`gpo check`: everything that is wrong with a run, at once, before anything is loaded."""

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.completion import complete_preset
from gpocli.cli.console import error_console, print_json, print_lines

if TYPE_CHECKING:
    from gpocli.spec.fault import Fault
    from gpocli.spec.sources import SpecSources


class Algorithm(StrEnum):
    """The methods, as an option takes them."""

    gfpo = "gfpo"
    gmpo = "gmpo"
    grpo = "grpo"


Specs = Annotated[
    list[Path] | None,
    typer.Argument(help="Run specs (YAML, TOML, JSON), later ones on top of earlier ones.", show_default=False),
]
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        help="Settings below the specs; see gpo presets list.",
        metavar="NAME",
        show_default=False,
        autocompletion=complete_preset,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Any value of the spec, as optim.warmup_steps=5; repeats.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]
ChosenAlgorithm = Annotated[
    Algorithm | None,
    typer.Option(
        "--algorithm",
        help="The method, as gpo train NAME [dim]\\[default: the spec's, else gfpo][/dim].",
        show_default=False,
    ),
]


def check_command(
    specs: Specs = None,
    preset: Preset = None,
    overrides: Set = None,
    algorithm: ChosenAlgorithm = None,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            min=1,
            help="Processes that will train [dim]\\[default: WORLD_SIZE, else 1][/dim].",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell everything that is wrong with a run, at once, before a model is loaded.

    A fault is one line: where it stands, what is wrong, and what to write. The exit code is 2; 3 when only a filter,
    reward or plugin is broken; 5 when only a package or key is missing. gpo train makes the same check.
    """
    from gpocli.checks.overview import outlook
    from gpocli.checks.preflight import examine, processes_of_this_run
    from gpocli.spec.fault import as_error
    from gpocli.spec.sources import draft_run_spec

    examined = examine(
        draft_run_spec(sources_of(specs, preset, overrides, algorithm)), processes or processes_of_this_run()
    )
    ready, faults = examined.ready, examined.faults
    if as_json:
        answer = {
            "ok": ready is not None,
            "faults": [_as_dict(fault) for fault in faults],
            "run": None if ready is None else outlook(ready),
            "notes": [] if ready is None else ready.notes,
        }
        print_json(answer)
    if ready is None:
        error = as_error(faults)
        if as_json:
            raise typer.Exit(error.exit_code)
        raise error
    if not as_json:
        for note in ready.notes:
            error_console.print(f"note: {note}", markup=False, soft_wrap=True)
        print_lines(*(f"{word + ':':<11}{text}" for word, text in outlook(ready).items()))


def sources_of(
    specs: list[Path] | None, preset: str | None, overrides: list[str] | None, algorithm: Algorithm | None
) -> "SpecSources":
    """The layers of a spec as commands that do not train take them, variables included."""
    from gpocli.spec.layer import Flag
    from gpocli.spec.sources import SpecSources

    flags = None if algorithm is None else {"algorithm.type": Flag(f"--algorithm {algorithm}", str(algorithm))}
    return SpecSources(specs or [], overrides or [], flags, preset, os.environ)


def _as_dict(fault: "Fault") -> dict[str, object]:
    place = fault.place
    return {
        "place": str(place),
        "file": place.source if place.line else None,
        "line": place.line or None,
        "column": place.column or None,
        "key": fault.key or None,
        "text": fault.text,
        "kind": fault.kind,
        "message": str(fault),
    }
