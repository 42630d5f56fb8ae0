"""`gpo`: the commands put together, and the one place where errors become exit codes."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gpocli import __version__
from gpocli.cli import (
    chat,
    check,
    compare,
    config,
    data,
    doctor,
    eval,
    explain,
    export,
    extensions,
    generate,
    guards,
    init,
    launch,
    plan,
    plugins,
    presets,
    replay,
    report,
    runs,
    samples,
    serve,
    sweep,
    train,
)
from gpocli.cli.console import console, error_console
from gpocli.cli.plain import as_fault, write_plain_signs
from gpocli.cli.spec_command import SpecCommand
from gpocli.errors import GpoError

# Typer shows it in a box of several lines, and has no public name for it.
_UsageError: Any = typer.BadParameter.__base__

COMMANDS: dict[str, dict[str, Any]] = {
    "Train": {
        "train": train.app,
        "init": init.init_command,
        "check": check.check_command,
        "plan": plan.plan_command,
        "launch": launch.app,
        "sweep": sweep.sweep_command,
        "serve": serve.serve_command,
        "config": config.app,
        "presets": presets.app,
        "data": data.app,
    },
    "Look at runs and use their models": {
        "runs": runs.app,
        "samples": samples.samples_command,
        "replay": replay.replay_command,
        "compare": compare.compare_command,
        "report": report.report_command,
        "eval": eval.eval_command,
        "generate": generate.generate_command,
        "chat": chat.chat_command,
        "export": export.export_command,
    },
    "Filters, rewards, guards": {
        "filters": extensions.filters,
        "rewards": extensions.rewards,
        "guards": guards.guards,
        "plugins": plugins.app,
    },
    "Help": {"explain": explain.explain_command, "doctor": doctor.doctor_command},
}
"""The commands in the panels of the help, as they stand there."""


class InOrder(TyperGroup):
    """The commands as they stand in `COMMANDS`; typer itself lists groups behind all others."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for commands in COMMANDS.values() for name in commands]


app = typer.Typer(
    name="gpo",
    cls=InOrder,
    help="Train language models with GFPO and GMPO: group-based reinforcement learning on top of TRL.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _panel, _commands in COMMANDS.items():
    for _name, _command in _commands.items():
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name, rich_help_panel=_panel)
        else:
            _class = SpecCommand if hasattr(_command, "reads_spec") else None
            app.command(_name, cls=_class, rich_help_panel=_panel)(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(f"gpo {__version__}")
        raise typer.Exit


@app.callback()
def gpo(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
    no_plugins: Annotated[bool, typer.Option("--no-plugins", help="Load no installed plugin.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Make a broken plugin an error.")] = False,
) -> None:
    """Options of every command."""
    if debug:
        os.environ["GPO_DEBUG"] = "1"
    if no_plugins:
        os.environ["GPO_PLUGINS"] = ""
    if strict:
        os.environ["GPO_PLUGINS_STRICT"] = "1"


def _unknown_option(error: Any) -> str | None:
    """What to write for an option that only a spec, TRL or another tool knows."""
    option, context = getattr(error, "option_name", None), error.ctx
    if option is None or context is None:
        return None
    flags = [name for parameter in context.command.params for name in parameter.opts]
    if "--set" not in flags:
        return None
    from gpocli.cli.other_names import instead_of

    algorithm = context.info_name if context.parent.info_name == "train" else None
    answer = instead_of(option, algorithm, flags)
    return answer and f"No such option: {option}; {answer}"


def _instead_of_command(text: str) -> str | None:
    """What to write for a command that there is not, but that other tools have."""
    instead = {"resume": "gpo train NAME --resume --out runs/<name>"}
    asked = next((name for name in instead if text.startswith(f"No such command '{name}'")), None)
    return asked and f"No such command '{asked}'; write {instead[asked]}"


def main() -> None:
    """Run the command line; exit with the code of what went wrong, after one line on stderr."""
    write_plain_signs()
    try:
        sys.exit(app(prog_name="gpo", standalone_mode=False))
    except _UsageError as error:
        if text := error.format_message().removesuffix("."):  # none where the help was shown for want of a command
            command = "gpo" if error.ctx is None else error.ctx.command_path
            text = _unknown_option(error) or _instead_of_command(text) or f"{text}; see {command} -h"
            error_console.print(f"{command}: {text}", markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except GpoError as error:
        if os.environ.get("GPO_DEBUG"):
            raise
        if text := str(error):  # none in processes of a run whose main one says it
            error_console.print(text, markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except OSError as error:
        if (fault := as_fault(error)) is None or os.environ.get("GPO_DEBUG"):
            raise
        error_console.print(str(fault), markup=False, soft_wrap=True)
        sys.exit(fault.exit_code)
    except KeyboardInterrupt:
        error_console.print("interrupted")
        sys.exit(130)
