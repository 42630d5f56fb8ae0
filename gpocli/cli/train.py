"""`gpo train`: one command an algorithm; flags go on top of spec files."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from gpocli.cli.console import console, print_lines
from gpocli.cli.spec_command import Resume, SpecCommand, option, reads_spec

if TYPE_CHECKING:
    from gpocli.spec.sources import SpecSources

_ABOUT_FLAGS = "Defaults stand in parentheses; every other setting is a value of the spec."


DryRun = Annotated[bool, option("--dry-run", help="Check, show the plan, and stop", panel="Run")]
Smoke = Annotated[bool, option("--smoke", help="Try all of it in two tiny steps; nothing is kept", panel="Run")]


@reads_spec
def train_command(
    sources: "SpecSources", resume: Resume = False, dry_run: DryRun = False, smoke: Smoke = False
) -> None:
    """Train with one algorithm."""
    if resume + dry_run + smoke > 1:
        raise typer.BadParameter("--resume, --dry-run and --smoke do not go together; leave out all but one")
    if dry_run:
        _look_at(sources)
        return
    if smoke:
        _try(sources)
        return
    from gpocli.training.run import train

    outcome = train(sources, resume=resume, console=console)
    if outcome is not None:
        console.print(f"saved: {outcome.path}", markup=False, soft_wrap=True)


def _look_at(sources: "SpecSources") -> None:
    """Print what gpo check and gpo plan say. Raises the error of the check."""
    from gpocli.checks.preflight import processes_of_this_run
    from gpocli.cli.check import check_command
    from gpocli.cli.plan import show
    from gpocli.planning.plan import plan_run

    check_command.reads_spec(sources, deep=True)  # type: ignore[attr-defined]
    print_lines("")
    show(plan_run(sources, processes_of_this_run()))


def _try(sources: "SpecSources") -> None:
    """Take two steps and remove what they left. Raises the error of the run."""
    import shutil

    from gpocli.checks.preflight import processes_of_this_run
    from gpocli.training.run import train
    from gpocli.training.smoke import STEPS, smoke_directory, smoke_sources

    try:
        outcome = train(smoke_sources(sources, processes_of_this_run()), resume=False, console=console)
    finally:
        shutil.rmtree(smoke_directory(), ignore_errors=True)
    if outcome is not None:
        print_lines(f"smoke run: {STEPS} steps sampled, rewarded, trained and saved; nothing is kept")


class TrainGroup(TyperGroup):
    """A command for each algorithm, those of plugins too, which are looked for when one is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        from gpocli.spec.algorithms import algorithms

        for name, one in algorithms().items():
            text = f"{one.title}: {one.summary}.\n\n{_ABOUT_FLAGS}"
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
