"""`gpo plugins`: which plugins there are, what each gave, what is wrong with them, and how to start one."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gpocli.cli.completion import complete_plugin
from gpocli.cli.trial_view import AsJson, Columns, Data, RowCount

if TYPE_CHECKING:
    from gpocli.plugin_manager import PluginHost

app = typer.Typer(
    help="Plugins: where filters, rewards and algorithms come from, and how to make one.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@dataclass(frozen=True, slots=True)
class PluginRow:
    """One line of the list. `state` is "ok", "renamed", "clash" or "broken"; `faults` say why, one line each."""

    name: str
    distribution: str | None
    version: str | None
    file: str | None
    filters: tuple[str, ...]
    rewards: tuple[str, ...]
    guards: tuple[str, ...]
    algorithms: tuple[str, ...]
    state: str
    faults: tuple[str, ...]


@app.command("list")
def list_command(as_json: AsJson = False) -> None:
    """List the plugins with their distribution, version, filters, rewards, guards, algorithms and state."""
    from gpocli.cli.console import plain_table, print_json, print_lines, print_table
    from gpocli.plugin_manager import load_plugins

    rows = list_plugins(load_plugins())
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    headers = ("plugin", "distribution", "version", "filters", "rewards", "guards", "algorithms", "state")
    print_table(plain_table(headers, [_cells(row) for row in rows]))
    print_lines(*(fault for row in rows for fault in row.faults))


@app.command("show")
def show_command(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="Plugin or distribution.", autocompletion=complete_plugin),
    ],
    as_json: AsJson = False,
) -> None:
    """Show where a plugin is from, whether it is sound, and each filter, reward and algorithm that it gave."""
    from gpocli.cli.console import print_json, print_lines
    from gpocli.contracts.nearest import did_you_mean
    from gpocli.contracts.plugin import RECORDS
    from gpocli.errors import SpecError
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    rows = list_plugins(host)
    row = next((row for row in rows if name in (row.name, row.distribution)), None)
    if row is None:
        raise SpecError(f"no plugin '{name}'; {did_you_mean(name, [row.name for row in rows])}")
    if as_json:
        print_json(asdict(row))
        return
    print_lines(
        f"plugin {row.name}: {row.state}",
        f"distribution: {row.distribution or '-'} {row.version or ''}".rstrip(),
        f"file: {row.file or '-'}",
    )
    given = [one.given for one in host.plugins if (one.name, one.distribution) == (row.name, row.distribution)]
    print_lines(*(f"{kind} {one.name}: {one.summary}" for kind in RECORDS for all in given for one in all.of(kind)))
    print_lines(*row.faults)


@app.command("check")
def check_command(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="TARGET",
            help="Plugin, ./file.py or folder. [dim]\\[default: this one, or all][/dim]",
            show_default=False,
            autocompletion=complete_plugin,
        ),
    ] = None,
    data: Data = None,
    columns: Columns = None,
    rows: RowCount = 16,
    as_json: AsJson = False,
) -> None:
    """Check a plugin as strictly as its author should: docs and trials too; exit code 3 for a fault."""
    from gpocli.cli.console import plain_table, print_json, print_lines, print_table
    from gpocli.cli.trial_view import rows_from
    from gpocli.errors import PluginError
    from gpocli.plugin_manager import load_plugins
    from gpocli.trial.plugin import check_plugins

    found = check_plugins(target, load_plugins(), rows_from(data, columns, rows))
    if as_json:
        print_json([{**asdict(one), "faults": one.faults} for one in found])
    elif not found:
        print_lines("no plugin is installed besides the built-in one; name ./file.py or the folder of a package")
    for one in [] if as_json else found:
        print_lines(one.name)
        print_table(plain_table(("check", "finding"), [(check.name, check.finding) for check in one.checks]))
    faults = [fault for one in found for fault in one.faults]
    if faults:
        raise PluginError("\n".join(faults))


@app.command("new")
def new_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, as fewest_words.")],
    kind: Annotated[
        Literal["filter", "reward", "guard", "algorithm"],
        typer.Option("--kind", help="What it gives.", show_default=False),
    ],
    folder: Annotated[Path, typer.Option("--dir", help="Where its folder is made.")] = Path("."),
) -> None:
    """Write a small package with a filter, reward, guard or algorithm, a README and tests that pass, to start from."""
    from gpocli.cli.console import print_lines
    from gpocli.errors import SpecError
    from gpocli.plugin_manager import load_plugins
    from gpocli.scaffold import extension_name, write_package

    wanted = extension_name(name)
    for claim in load_plugins().claims(kind, wanted):
        raise SpecError(f"there is a {kind} '{wanted}' already, of {claim.origin}; choose another name")
    made, *files = write_package(wanted, kind, folder)
    try_it = "show" if kind == "guard" else "test"  # which needs a run
    print_lines(
        f"wrote {made}:",
        *(f"  {file.relative_to(made)}" for file in files),
        "next:",
        f"  gpo plugins check {made}",
        f"  pip install -e {made}",
        f"  gpo train {wanted}" if kind == "algorithm" else f"  gpo {kind}s {try_it} {wanted}",
    )


def list_plugins(host: "PluginHost") -> list[PluginRow]:
    """The loaded plugins of `host`, the built-in one first, and then the broken ones."""
    from gpocli.spec.flags import taken_flags

    rows = []
    for one in host.plugins:
        names = (host.names_of(one, "filter"), host.names_of(one, "reward"), host.names_of(one, "guard"))
        clashes, renamed = host.clashes_of(one), host.renamed_of(one)
        said = [*(f"{clash}; uninstall one of them" for clash in clashes), *renamed]
        said += [line for each in one.given.algorithms for line in taken_flags(each)]
        faults = tuple(f"plugin '{one.name}': {line}" for line in said)
        state = "clash" if clashes else "renamed" if renamed else "ok"
        where = one.name, one.distribution, one.version, one.file
        rows.append(PluginRow(*where, *names, host.names_of(one, "algorithm"), state, faults))
    for broken in host.broken:
        where = broken.name, broken.distribution, broken.version, None
        rows.append(PluginRow(*where, (), (), (), (), "broken", (str(broken),)))
    return rows


def _cells(row: PluginRow) -> tuple[str, ...]:
    """A row as the table shows it, with one name a line."""
    names = ("\n".join(names) for names in (row.filters, row.rewards, row.guards, row.algorithms))
    return (row.name, row.distribution or "-", row.version or "-", *names, row.state)
