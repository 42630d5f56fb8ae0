"""`gpo presets`: the papers' settings."""

from pathlib import Path
from typing import Annotated

import typer

from gpocli.cli.completion import complete_preset
from gpocli.cli.console import plain_table, print_json, print_lines, print_table

app = typer.Typer(
    help="The papers' settings, to train with --preset NAME or to start a spec from.", no_args_is_help=True
)
Name = Annotated[
    str, typer.Argument(help="A preset of gpo presets list.", show_default=False, autocompletion=complete_preset)
]


@app.command("list")
def list_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the presets with what they are and where their figures are from."""
    from gpocli.presets import find_preset, preset_names

    presets = [find_preset(name) for name in preset_names()]
    if as_json:
        print_json([{"name": one.name, "summary": one.summary, "source": one.source} for one in presets])
        return
    rows = [(one.name, one.summary, one.source) for one in presets]
    print_table(plain_table(("preset", "what it is", "source"), rows))


@app.command("show")
def show_command(
    name: Name, as_json: Annotated[bool, typer.Option("--json", help="Print its values as JSON.")] = False
) -> None:
    """Print the file of a preset; what its sources leave open, and gpo chose, is marked as ours."""
    from gpocli.presets import preset_path

    if as_json:
        from gpocli.spec.yaml_text import read_yaml

        print_json(read_yaml(preset_path(name).read_text(encoding="utf-8"), name).value)
        return
    print_lines(preset_path(name).read_text(encoding="utf-8").removesuffix("\n"))


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
    print_lines(f"written: {path}")
