"""`gpo train`: one command an algorithm; flags go on top of spec files."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from gpocli.cli.console import console, print_lines, stdout_alone
from gpocli.cli.spec_command import Resume, SpecCommand, option, reads_spec
from gpocli.display.choice import LogFormat
from gpocli.runs.next_commands import next_lines

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from gpocli.spec.sources import SpecSources

_ABOUT_FLAGS = "Defaults stand in parentheses; every other setting is a value of the spec."


DryRun = Annotated[bool, option("--dry-run", help="Check, show the plan, and stop", panel="Run")]
Smoke = Annotated[bool, option("--smoke", help="Two tiny steps of all of it, kept nowhere", panel="Run")]
Format = Annotated[
    LogFormat | None, option("--log-format", help="How to tell: live, lines or json", panel="Run", metavar="FORMAT")
]


@reads_spec
def train_command(
    sources: "SpecSources",
    resume: Resume = False,
    dry_run: DryRun = False,
    smoke: Smoke = False,
    log_format: Format = None,
) -> None:
    """Train with one algorithm."""
    if resume + dry_run + smoke > 1:
        raise typer.BadParameter("--resume, --dry-run and --smoke do not go together; leave out all but one")
    if dry_run and log_format:
        raise typer.BadParameter("--dry-run takes no step to show; leave out --log-format")
    if dry_run:
        _look_at(sources)
    elif log_format == LogFormat.json:
        _tell_machines(sources, resume, smoke)
    else:
        line, path = _run(sources, resume, smoke, console, log_format)
        print_lines(*([] if path is None else next_lines(path)), *line)


def _run(
    sources: "SpecSources", resume: bool, smoke: bool, shown_on: "Console", log_format: LogFormat | None
) -> tuple[list[str], "Path | None"]:
    """Train; returns what there is to say of what was saved, and where that is. Raises the error of the run."""
    from gpocli.training.run import train

    if smoke:
        return _try(sources, shown_on, log_format)
    outcome = train(sources, resume=resume, console=shown_on, log_format=log_format)
    return ([], None) if outcome is None else ([f"saved: {outcome.path}"], outcome.path)


def _tell_machines(sources: "SpecSources", resume: bool, smoke: bool) -> None:
    """Train, with nothing on stdout but the lines of events. Raises the error of the run."""
    from gpocli.display.json_lines import tell
    from gpocli.errors import GpoError

    with stdout_alone() as lines:
        try:
            told, path = _run(sources, resume, smoke, lines, LogFormat.json)
        except GpoError as error:
            if text := str(error):
                tell(lines, "error", exit_code=error.exit_code, text=text)
            raise
        if told:
            tell(lines, "saved", path=path and str(path), text=told[0])


def _look_at(sources: "SpecSources") -> None:
    """Print what gpo check and gpo plan say. Raises the error of the check."""
    from gpocli.checks.preflight import processes_of_this_run
    from gpocli.cli.check import check_command
    from gpocli.cli.plan import show
    from gpocli.planning.plan import plan_run

    check_command.reads_spec(sources, deep=True)  # type: ignore[attr-defined]
    print_lines("")
    show(plan_run(sources, processes_of_this_run()))


def _try(sources: "SpecSources", shown_on: "Console", log_format: LogFormat | None) -> tuple[list[str], "Path | None"]:
    """Take two steps and remove what they left. Raises the error of the run."""
    import shutil

    from gpocli.checks.preflight import processes_of_this_run
    from gpocli.training.run import train
    from gpocli.training.smoke import STEPS, smoke_directory, smoke_sources

    try:
        small = smoke_sources(sources, processes_of_this_run())
        outcome = train(small, resume=False, console=shown_on, log_format=log_format)
    finally:
        shutil.rmtree(smoke_directory(), ignore_errors=True)
    line = f"smoke run: {STEPS} steps sampled, rewarded, trained and saved; nothing is kept"
    return ([], None) if outcome is None else ([line], None)


class TrainGroup(TyperGroup):
    """A command for each algorithm, those of plugins too, which are looked for when one is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        from rich.markup import escape

        from gpocli.display.clean import clean
        from gpocli.spec.algorithms import algorithms

        for name, one in algorithms().items():
            text = f"{escape(clean(f'{one.title}: {one.summary}.'))}\n\n{_ABOUT_FLAGS}"
            command = SpecCommand(name, callback=train_command, help=text, rich_markup_mode="rich")
            command.algorithm = name
            self.commands[name] = command
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from gpocli.errors import PluginError
        from gpocli.spec.algorithms import why_missing

        if cmd_name not in self.list_commands(ctx) and (fault := why_missing(cmd_name)):
            raise PluginError(fault)
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=TrainGroup,
    help="Train a model with GFPO, GMPO, GRPO or another algorithm.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
