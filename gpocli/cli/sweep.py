"""`gpo sweep`: many runs from one spec, as processes that can be stopped and gone on with."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.console import error_console, plain_table, print_json, print_lines, print_table
from gpocli.cli.spec_command import AsJson, reads_spec

if TYPE_CHECKING:
    from pathlib import Path

    from gpocli.spec.sources import SpecSources
    from gpocli.sweep.plan import PlannedRun
    from gpocli.sweep.runner import Result

FORMAT = 1
SIDE_BY_SIDE = 4
"""Runs whose columns a terminal holds."""
Grid = Annotated[
    list[str] | None,
    typer.Option("--grid", help="Values of a setting; repeats for all combinations.", metavar="KEY=VALUE,VALUE"),
]
Seeds = Annotated[int | None, typer.Option("--seeds", help="Seeds for each, from run.seed on.", min=1)]
Jobs = Annotated[int, typer.Option("--jobs", help="Runs at a time.", min=1)]
Print = Annotated[bool, typer.Option("--print", help="Print the commands for a scheduler, and start nothing.")]


@reads_spec
def sweep_command(
    sources: "SpecSources",
    grid: Grid = None,
    seeds: Seeds = None,
    jobs: Jobs = 1,
    only_print: Print = False,
    as_json: AsJson = False,
) -> None:
    """Train with every combination of some values, each with some seeds: a folder of runs, and a table at its end.

    All are checked before the first starts, and one that fails ends no other. The same command again goes on: what is
    done is skipped, what was stopped is resumed. --out is the folder of all of them (sweeps/NAME). The exit code is
    that of the first that failed.
    """
    from gpocli.errors import ToldElsewhere
    from gpocli.sweep.plan import plan_sweep, write_specs
    from gpocli.sweep.runner import Runner

    planned = plan_sweep(sources, grid or [], seeds)
    write_specs(planned)
    if only_print:
        print_lines(*_commands(planned))
        return
    results = Runner(planned, jobs, _tell if as_json else print_lines).run()
    _show(planned, results, as_json=as_json)
    failed = [one for one in results if one.outcome == "failed"]
    if failed:
        words = ", ".join(f"{one.planned.point.name} ({one.exit_code})" for one in failed)
        raise ToldElsewhere(failed[0].exit_code or 1, f"{len(failed)} of {len(results)} runs failed: {words}")


def _tell(line: str) -> None:
    error_console.print(line, markup=False, soft_wrap=True)


def _commands(planned: "list[PlannedRun]") -> list[str]:
    """The command of each run that is not done; the folder of one that has to begin anew is set aside."""
    from gpocli.sweep.state import command_of, set_aside, state_of

    commands = []
    for one in planned:
        state = state_of(one)
        if state == "lost":
            set_aside(one)
        if state not in ("done", "running"):
            commands.append(str(command_of(one, state)))
    return commands


def _show(planned: "list[PlannedRun]", results: "list[Result]", *, as_json: bool) -> None:
    from gpocli.sweep.table import HEADERS, NUMBERS, records, rows

    if as_json:
        answer: dict[str, Any] = {"format": FORMAT, "folder": str(planned[0].folder), "runs": records(results)}
        print_json(answer)
        return
    print_lines("")
    print_table(plain_table(HEADERS, rows(results), right=NUMBERS))
    _compare([one.planned.run.path for one in results if one.outcome == "done"])


def _compare(done: "list[Path]") -> None:
    """Put the runs that are done side by side, where that fits a page; else say what would."""
    import shlex

    from gpocli.cli.compare import compare_command

    if 2 <= len(done) <= SIDE_BY_SIDE:
        print_lines("")
        compare_command(done)
    elif len(done) > SIDE_BY_SIDE:
        print_lines("", f"side by side: {shlex.join(['gpo', 'compare', *map(str, done)])}")
