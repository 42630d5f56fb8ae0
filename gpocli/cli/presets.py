"""`gpo presets`: the papers' settings."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gpocli.cli.console import console

app = typer.Typer(
    help="The papers' settings, to train with --preset NAME or to start a spec from.", no_args_is_help=True
)
Name = Annotated[str, typer.Argument(help="A preset of gpo presets list.", show_default=False)]


@app.command("list")
def list_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the presets with what they are and where their figures are from."""
    from rich.table import Column, Table

    from gpocli.presets import find_preset, preset_names

    presets = [find_preset(name) for name in preset_names()]
    if as_json:
        listed = [{"name": one.name, "summary": one.summary, "source": one.source} for one in presets]
        console.print(json.dumps(listed, indent=2), markup=False, soft_wrap=True)
        return
    table = Table(*(Column(header, overflow="fold") for header in ("preset", "what it is", "source")), box=None)
    table.pad_edge = False
    for one in presets:
        table.add_row(one.name, one.summary, one.source)
    if not console.is_terminal:  # nothing is cut where a program reads it
        table.width = console.measure(table, options=console.options.update_width(1000)).maximum
    console.print(table, crop=False, soft_wrap=True)


@app.command("show")
def show_command(name: Name) -> None:
    """Print the file of a preset; what its sources leave open, and gpo chose, is marked as ours."""
    from gpocli.presets import preset_path

    console.print(preset_path(name).read_text(encoding="utf-8").removesuffix("\n"), markup=False, soft_wrap=True)


@app.command("copy")
def copy_command(
    name: Name,
    path: Annotated[
        Path | None, typer.Argument(help="The file to write [dim]\\[default: NAME.yaml][/dim].", show_default=False)
    ] = None,
) -> None:
    """Copy a preset to a spec of your own; nothing is overwritten."""
    from gpocli.presets import preset_path
    from gpocli.spec.new_file import write_new

    path = path or Path(f"{name}.yaml")
    write_new(path, preset_path(name).read_text(encoding="utf-8"))
    console.print(f"written: {path}", markup=False, soft_wrap=True)
