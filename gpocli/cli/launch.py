"""`gpo launch`: a run in several processes, by torchrun or as a job of SLURM."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from gpocli.cli import slurm
from gpocli.cli.console import print_lines
from gpocli.cli.spec_command import SpecCommand

if TYPE_CHECKING:
    from gpocli.launch.torchrun import Meeting

_LIKE = "as in: gpo launch --processes 4 -- train gfpo run.yaml"


class LaunchGroup(TyperGroup):
    """What can be launched: `train`, with all that belongs to it, and `slurm`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        found = super().get_command(ctx, cmd_name)
        if found is None:
            raise typer.BadParameter(f"'{cmd_name}' is no training; write gpo train's words after --, {_LIKE}", ctx)
        return found


app = typer.Typer(
    cls=LaunchGroup,
    help="Train in several processes: by torchrun on this host and others, or as a job of SLURM.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.callback()
def launch(
    context: typer.Context,
    processes: Annotated[
        int | None, typer.Option("--processes", min=1, help="Processes on each host, as a rule one a GPU.")
    ] = None,
    hosts: Annotated[
        int | None, typer.Option("--hosts", min=1, help="Hosts, each of which runs this same command.")
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option("--endpoint", metavar="HOST:PORT", help="Where hosts meet: one of them and a free port of it."),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--id", help="Name that the hosts of a run share.", show_default="gpo")
    ] = None,
    only_print: Annotated[bool, typer.Option("--print", help="Print the command, and start nothing.")] = False,
) -> None:
    """Options of `gpo launch -- train`."""
    if context.invoked_subcommand == "slurm":
        if only_print or any(value is not None for value in (processes, hosts, endpoint, name)):
            raise typer.BadParameter(
                "options of slurm stand after it, as in: gpo launch slurm run.yaml --nodes 2", context
            )
        return
    if processes is None:
        raise typer.BadParameter(f"how many processes? write --processes, {_LIKE}", context)
    context.obj = (processes, _meeting(context, hosts, endpoint, name), only_print)


def _meeting(context: typer.Context, hosts: int | None, endpoint: str | None, name: str | None) -> "Meeting | None":
    """Where hosts meet; None for one host. Raises BadParameter where half of it is given."""
    from gpocli.launch.torchrun import Meeting

    if hosts is None or hosts == 1:
        if endpoint is not None or name is not None:
            option = "--endpoint" if endpoint is not None else "--id"
            raise typer.BadParameter(
                f"{option} is for several hosts; write --hosts N as well, or leave it out", context
            )
        return None
    if endpoint is None:
        raise typer.BadParameter(
            f"{hosts} hosts need a place to meet; write --endpoint HOST:PORT, one of them and a free port of it",
            context,
        )
    host, _, port = endpoint.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise typer.BadParameter(f"--endpoint '{endpoint}' is not HOST:PORT, as in node1:29500", context)
    return Meeting(hosts, endpoint, name or "gpo")


app.command("slurm", cls=SpecCommand)(slurm.slurm_command)


@app.command(
    "train",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def train_command(context: typer.Context) -> None:
    """`gpo train` in several processes, by torchrun."""
    from gpocli.launch.torchrun import become, torchrun_command

    processes, meeting, only_print = context.obj
    _refuse_what_train_refuses(context)
    command = torchrun_command(context.args, processes, meeting, os.environ)
    if only_print:
        print_lines(str(command))
        return
    become(command)


def _refuse_what_train_refuses(context: typer.Context) -> None:
    """Read the words as `gpo train` does, which is one line here and one from each process later."""
    root: Any = context.find_root()
    group = root.command.get_command(root, "train")
    with group.make_context("train", list(context.args), parent=root) as inner:
        name, command, words = group.resolve_command(inner, list(context.args))
        command.make_context(name, words, parent=inner)
