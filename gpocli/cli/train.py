"""`gpo train`: one command an algorithm; flags go on top of spec files."""

from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from gpocli.cli.console import console
from gpocli.cli.spec_command import Resume, SpecCommand, reads_spec

if TYPE_CHECKING:
    from gpocli.spec.sources import SpecSources

_ABOUT_FLAGS = "Defaults stand in parentheses; every other setting is a value of the spec."


@reads_spec
def train_command(sources: "SpecSources", resume: Resume = False) -> None:
    """Train with one algorithm."""
    from gpocli.training.run import train

    outcome = train(sources, resume=resume, console=console)
    if outcome is not None:
        console.print(f"saved: {outcome.path}", markup=False, soft_wrap=True)


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
