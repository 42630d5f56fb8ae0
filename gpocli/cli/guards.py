"""`gpo guards`: what can stop a run that is dying, what each looks at, and when it would have stopped a run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gpocli.cli.completion import complete_guard
from gpocli.cli.console import print_lines
from gpocli.cli.extensions import list_kind, show_kind
from gpocli.cli.trial_view import AsJson, Options

guards = typer.Typer(help="List, show and try guards.", no_args_is_help=True, rich_markup_mode="rich")

_NAME: dict[str, Any] = {"metavar": "NAME", "help": "Name, ./file.py:name or package:name.", "show_default": False}
Guard = Annotated[str, typer.Argument(autocompletion=complete_guard, **_NAME)]
Run = Annotated[Path, typer.Option("--run", help="Run whose metrics are shown to it.", show_default=False)]


@guards.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the guards with where each is from."""
    list_kind("guard", as_json)


@guards.command("show")
def show_one(name: Guard, as_json: AsJson = False) -> None:
    """Show what a guard looks for, what its alarm leads to, and its options."""
    from gpocli.plugin_manager import load_plugins

    found = load_plugins().find("guard", name)
    show_kind(found, "guard", {"action": found.extension.action}, as_json)


@guards.command("test")
def try_one(name: Guard, run: Run, options: Options = None) -> None:
    """Show a guard the metrics of a run, and tell the steps at which it would have spoken up."""
    from gpocli.cli.trial_view import options_from
    from gpocli.plugin_manager import load_plugins
    from gpocli.trial.guard import options_of_run, replay

    host = load_plugins()
    told = options_of_run(host.find("guard", name).extension, run)
    steps, verdicts = replay(host.build_guard(name, told | options_from(options, {})), run)
    print_lines(*map(str, verdicts[:1]))
    print_lines(f"{len(verdicts)} of {steps} steps with an alarm" if verdicts else f"no alarm in {steps} steps")
