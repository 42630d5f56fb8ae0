"""`gpo rewards`: which rewards there are, what each can be told, and whether one works, without a model."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.completion import complete_reward
from gpocli.cli.trial_view import AsJson, Columns, Data, Options, RowCount, Run

if TYPE_CHECKING:
    from gpocli.extensions import RewardExtension
    from gpocli.plugin_manager import PluginHost, Registered
    from gpocli.spec import RunSpec

app = typer.Typer(help="List, show and try rewards.", no_args_is_help=True, rich_markup_mode="rich")

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Name, or ./file.py:name.",
        show_default=False,
        autocompletion=complete_reward,
    ),
]


@app.command("list")
def list_command(as_json: AsJson = False) -> None:
    """List the rewards with where each is from."""
    from gpocli.cli.extension_view import list_extensions
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    list_extensions(host.rewards, host, "reward", as_json=as_json)


@app.command("show")
def show_command(name: Name, as_json: AsJson = False) -> None:
    """Show what a reward does, its options and the data columns it needs."""
    from gpocli.cli.extension_view import show_extension
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    found = host.find("reward", name)
    show_extension(found, "reward", {"columns": ", ".join(_columns(host, found, name)) or "none"}, as_json=as_json)


@app.command("test")
def try_command(
    name: Name,
    data: Data = None,
    columns: Columns = None,
    run: Run = None,
    options: Options = None,
    rows: RowCount = 16,
    as_json: AsJson = False,
) -> None:
    """Call a reward on real rows without a model, recorded or made up; exit code 3 for a fault."""
    from gpocli.cli.trial_view import options_from, print_report, run_spec_of, samples_from
    from gpocli.plugin_manager import load_plugins
    from gpocli.trial.reward import try_reward

    host = load_plugins()
    found = host.find("reward", name)
    spec = run_spec_of(run)
    given = options_from(options, _set_before(found.extension, name, spec))
    reward = host.build_reward(name, given)
    gold = reward.columns[0] if reward.columns else None
    samples = samples_from(data, columns, run, rows, needed=reward.columns, gold=gold)
    subject = f"reward {reward.name} of {found.origin}"
    print_report(try_reward(reward, subject, samples, declares=found.distribution is not None), as_json=as_json)


def _columns(host: "PluginHost", found: "Registered[Any]", name: str) -> tuple[str, ...]:
    """The data columns that it needs with its default options, or says it needs when it has to be given some."""
    from gpocli.errors import GpoError

    try:
        return host.build_reward(name).columns
    except GpoError:
        return tuple(found.extension.columns)


def _set_before(extension: "RewardExtension", name: str, spec: "RunSpec | None") -> dict[str, Any]:
    """What a run would have a reward start from: its options there, and the limit of tokens."""
    from gpocli.trial.made_up import options_for

    if spec is None:
        return options_for(extension)
    told = next((dict(one.options) for one in spec.rewards if one.name == name), {})
    has_limit = "max_tokens" in extension.options.model_fields
    return ({"max_tokens": spec.sampling.max_tokens} if has_limit else {}) | told
