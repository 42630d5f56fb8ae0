"""`gpo filters`: which filters there are, what each can be told, and whether one works, without a model."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.completion import complete_filter
from gpocli.cli.trial_view import AsJson, Columns, Data, Options, RowCount, Run

if TYPE_CHECKING:
    from gpocli.plugin_manager import PluginHost, Registered
    from gpocli.spec import RunSpec

app = typer.Typer(help="List, show and try filters.", no_args_is_help=True, rich_markup_mode="rich")

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Name, or ./file.py:name.",
        show_default=False,
        autocompletion=complete_filter,
    ),
]


@app.command("list")
def list_command(as_json: AsJson = False) -> None:
    """List the filters with where each is from."""
    from gpocli.cli.extension_view import list_extensions
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    list_extensions(host.filters, host, "filter", as_json=as_json)


@app.command("show")
def show_command(name: Name, as_json: AsJson = False) -> None:
    """Show what a filter does, its options, and whether it needs rewards and lets groups race."""
    from gpocli.cli.extension_view import show_extension
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    found = host.find("filter", name)
    show_extension(found, "filter", _abilities(host, found, name), as_json=as_json)


@app.command("test")
def try_command(
    name: Name,
    data: Data = None,
    columns: Columns = None,
    run: Run = None,
    options: Options = None,
    keep: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--keep",
            min=1,
            metavar="N",
            help="Kept of a group. [dim]\\[default: half, or the run's][/dim]",
            show_default=False,
        ),
    ] = None,
    rows: RowCount = 16,
    as_json: AsJson = False,
) -> None:
    """Call a filter on real groups without a model, recorded or made up; exit code 3 for a fault."""
    from gpocli.cli.trial_view import options_from, print_report, run_spec_of, samples_from
    from gpocli.errors import SpecError
    from gpocli.plugin_manager import load_plugins
    from gpocli.trial.filter import try_filter

    host = load_plugins()
    found = host.find("filter", name)
    spec = run_spec_of(run)
    named = host.build_filter(name, options_from(options, _set_before(name, spec)))
    samples = samples_from(data, columns, run, rows)
    smallest = min(len(group.candidates) for group in samples.groups)
    if keep is not None and keep > smallest:
        raise SpecError(f"--keep {keep} is more than the {smallest} candidates of a group; write a smaller one")
    subject = f"filter {named.name} of {found.origin}"
    wanted = keep or _keep_of(spec) or max(1, smallest // 2)
    print_report(try_filter(named, subject, samples, min(wanted, smallest)), as_json=as_json)


def _keep_of(spec: "RunSpec | None") -> int | None:
    return None if spec is None else getattr(spec.algorithm, "keep", None)


def _set_before(name: str, spec: "RunSpec | None") -> dict[str, Any]:
    """The options that a filter has in a run."""
    filters = [] if spec is None else getattr(spec.algorithm, "filters", [])
    return next((dict(one.options) for one in filters if one.name == name), {})


def _abilities(host: "PluginHost", found: "Registered[Any]", name: str) -> dict[str, str]:
    """What only a filter that is built can tell; nothing when it cannot be built without options."""
    from gpocli.contracts.filter import GroupFilter
    from gpocli.errors import GpoError

    try:
        group_filter = GroupFilter([host.build_filter(name)])
    except GpoError:
        return {}
    return {
        "rewards": "needed" if group_filter.needs_rewards else "not needed",
        "races": "yes" if group_filter.can_race else "no",
        "keeps": "up to k, fewer of some groups" if group_filter.adaptive else "k",
    }
