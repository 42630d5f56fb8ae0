"""`gpo check`: everything that is wrong with a run, at once, before anything is loaded."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import error_console, print_json, print_lines
from gpocli.cli.spec_command import AsJson, Processes, reads_spec

if TYPE_CHECKING:
    from gpocli.checks.preflight import Preflight
    from gpocli.spec.fault import Fault
    from gpocli.spec.load import Draft
    from gpocli.spec.sources import SpecSources

Deep = Annotated[
    bool, typer.Option("--deep", help="Also build config, optimizer and a model without weights, which loads torch.")
]


@reads_spec
def check_command(
    sources: "SpecSources", processes: Processes = None, deep: Deep = False, as_json: AsJson = False
) -> None:
    """Tell everything that is wrong with a run, at once, before a model is loaded.

    A fault is one line: where it stands, what is wrong, and what to write. The exit code is 2; 3 when only a filter,
    reward or plugin is broken; 5 when only a package or key is missing. gpo train makes the same check, the deep one
    included.
    """
    from gpocli.checks.overview import overview
    from gpocli.checks.preflight import examine, processes_of_this_run
    from gpocli.checks.rows import examine_rows
    from gpocli.spec.fault import as_error
    from gpocli.spec.sources import draft_run_spec

    draft, count = draft_run_spec(sources), processes or processes_of_this_run()
    examined = examine(draft, count)
    ready, faults = examined.ready, examined.faults
    row_notes: list[str] = []
    if ready is not None:
        faults, row_notes = examine_rows(draft, ready)
        ready = None if faults else ready
    if deep and ready is not None and (faults := _deep_faults(draft, ready, count)):
        ready = None
    if as_json:
        answer = {
            "ok": ready is not None,
            "faults": [_as_dict(fault) for fault in faults],
            "run": None if ready is None else overview(ready),
            "notes": [] if ready is None else [*ready.notes, *row_notes],
        }
        print_json(answer)
    if ready is None:
        error = as_error(faults)
        if as_json:
            raise typer.Exit(error.exit_code)
        raise error
    if not as_json:
        for note in [*ready.notes, *row_notes]:
            error_console.print(f"note: {note}", markup=False, soft_wrap=True)
        print_lines(*(f"{word + ':':<11}{text}" for word, text in overview(ready).items()))


def _deep_faults(draft: "Draft", ready: "Preflight", processes: int) -> "list[Fault]":
    from gpocli.training.boundary import boundary, log_of
    from gpocli.training.quiet import quiet_libraries, quiet_transformers

    quiet_libraries(telemetry=ready.spec.run.telemetry)
    with boundary(partial(log_of, Path(), 0, stays=False), passes=lambda _: False) as course:
        course.doing = "the deep check"
        from gpocli.training.rehearsal import examine_deeply

        quiet_transformers()
        return examine_deeply(draft, ready, processes)


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
