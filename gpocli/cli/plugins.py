"""`gpo plugins`: which plugins there are, what each gave, and what is wrong with them."""

import json
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from gpocli.cli.console import console
from gpocli.plugin_manager import PluginHost, load_plugins

app = typer.Typer(help="Show the plugins: where filters and rewards come from.", no_args_is_help=True)


@app.callback()
def plugins() -> None:
    """Keep `list` a command of its own while it is the only one."""


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One line of the list. `state` is "ok", "clash" or "broken"; `faults` say why, one line each."""

    name: str
    distribution: str | None
    version: str | None
    file: str | None
    filters: tuple[str, ...]
    rewards: tuple[str, ...]
    state: str
    faults: tuple[str, ...]


@app.command("list")
def list_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the plugins with their distribution, version, filters, rewards and state."""
    rows = list_plugins(load_plugins())
    if as_json:
        text = json.dumps([asdict(row) for row in rows], indent=2)
        console.print(text, markup=False, soft_wrap=True)
        return
    table = as_table(rows)
    if not console.is_terminal:  # nothing is cut where a program reads it
        table.width = console.measure(table, options=console.options.update_width(1000)).maximum
    console.print(table, crop=False, soft_wrap=True)
    for fault in (fault for row in rows for fault in row.faults):
        console.print(fault, markup=False, soft_wrap=True)


def list_plugins(host: PluginHost) -> list[PluginRow]:
    """The loaded plugins of `host`, the built-in one first, and then the broken ones."""
    loaded = [
        PluginRow(
            plugin.name,
            plugin.distribution,
            plugin.version,
            plugin.file,
            plugin.filters,
            plugin.rewards,
            "clash" if plugin.clashes else "ok",
            tuple(f"plugin '{plugin.name}': {clash}; uninstall one of them" for clash in plugin.clashes),
        )
        for plugin in host.plugins
    ]
    broken = [
        PluginRow(plugin.name, plugin.distribution, plugin.version, None, (), (), "broken", (str(plugin),))
        for plugin in host.broken
    ]
    return loaded + broken


def as_table(rows: list[PluginRow]) -> Table:
    """The rows as a table, with one name a line."""
    headers = ("plugin", "distribution", "version", "filters", "rewards", "state")
    table = Table(*(Column(header, overflow="fold") for header in headers), box=None, pad_edge=False)
    for row in rows:
        names = "\n".join(row.filters), "\n".join(row.rewards)
        table.add_row(escape(row.name), row.distribution or "-", row.version or "-", *names, row.state)
    return table
