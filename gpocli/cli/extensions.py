"""`gpo filters` and `gpo rewards`: which there are, what each can be told, and whether one works, without a model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.completion import complete_filter, complete_reward
from gpocli.cli.console import console, plain_table, print_json, print_lines, print_table
from gpocli.cli.grade import grade_file
from gpocli.cli.trial_view import AsJson, Columns, Data, Options, RowCount, Run

if TYPE_CHECKING:
    from gpocli.contracts.plugin import Kind
    from gpocli.plugin_manager import PluginHost, Registered

filters = typer.Typer(help="List, show and try filters.", no_args_is_help=True, rich_markup_mode="rich")
rewards = typer.Typer(help="List, show and try rewards.", no_args_is_help=True, rich_markup_mode="rich")

_NAME: dict[str, Any] = {"metavar": "NAME", "help": "Name, ./file.py:name or package:name.", "show_default": False}
Filter = Annotated[str, typer.Argument(autocompletion=complete_filter, **_NAME)]
Reward = Annotated[str, typer.Argument(autocompletion=complete_reward, **_NAME)]
Keep = Annotated[
    int | None,
    typer.Option(
        "-k",
        "--keep",
        min=1,
        metavar="N",
        help="Kept of a group. [dim]\\[default: half, or the run's][/dim]",
        show_default=False,
    ),
]


@filters.command("list")
def list_filters(as_json: AsJson = False) -> None:
    """List the filters with where each is from."""
    list_kind("filter", as_json)


@rewards.command("list")
def list_rewards(as_json: AsJson = False) -> None:
    """List the rewards with where each is from."""
    list_kind("reward", as_json)


@filters.command("show")
def show_filter(name: Filter, as_json: AsJson = False) -> None:
    """Show what a filter does, its options, and whether it needs rewards and lets groups race."""
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    show_kind(host.find("filter", name), "filter", _abilities(host, name), as_json)


@rewards.command("show")
def show_reward(name: Reward, as_json: AsJson = False) -> None:
    """Show what a reward does, its options and the data columns it needs."""
    from gpocli.errors import GpoError
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    found = host.find("reward", name)
    try:
        columns: Sequence[str] = host.build_reward(name).columns
    except GpoError:  # it has to be given options
        columns = found.extension.columns
    show_kind(found, "reward", {"columns": ", ".join(columns) or "none"}, as_json)


@filters.command("test")
def filter_test(
    name: Filter,
    data: Data = None,
    columns: Columns = None,
    run: Run = None,
    options: Options = None,
    keep: Keep = None,
    rows: RowCount = 16,
    as_json: AsJson = False,
) -> None:
    """Call a filter on real groups without a model, recorded or made up; exit code 3 for a fault."""
    from gpocli.cli.trial_view import options_from, print_report, samples_from
    from gpocli.errors import SpecError
    from gpocli.plugin_manager import load_plugins
    from gpocli.trial.filter import try_filter
    from gpocli.trial.recorded import run_spec

    host = load_plugins()
    found = host.find("filter", name)
    algorithm = None if run is None else run_spec(run).algorithm
    set_before = {} if algorithm is None else _options_in(algorithm.chain, name)
    named = host.build_filter(name, options_from(options, set_before))
    samples = samples_from(data, columns, run, rows)
    smallest = min(len(group.candidates) for group in samples.groups)
    if keep is not None and keep > smallest:
        raise SpecError(f"--keep {keep} is more than the {smallest} candidates of a group; write a smaller one")
    wanted = keep or (None if algorithm is None else algorithm.kept) or max(1, smallest // 2)
    subject = f"filter {named.name} of {found.origin}"
    print_report(try_filter(named, subject, samples, min(wanted, smallest)), as_json=as_json)


@rewards.command("test")
def reward_test(
    name: Reward,
    data: Data = None,
    columns: Columns = None,
    run: Run = None,
    options: Options = None,
    rows: RowCount = 16,
    as_json: AsJson = False,
) -> None:
    """Call a reward on real rows without a model, recorded or made up; exit code 3 for a fault."""
    from gpocli.cli.trial_view import options_from, print_report, samples_from
    from gpocli.plugin_manager import load_plugins
    from gpocli.trial.made_up import options_for
    from gpocli.trial.recorded import run_spec
    from gpocli.trial.reward import try_reward

    host = load_plugins()
    found = host.find("reward", name)
    if run is None:
        set_before = options_for(found.extension)
    else:
        spec = run_spec(run)
        has_limit = "max_tokens" in found.extension.options.model_fields
        limit = {"max_tokens": spec.sampling.max_tokens} if has_limit else {}
        set_before = limit | _options_in(spec.rewards, name)
    reward = host.build_reward(name, options_from(options, set_before))
    gold = reward.columns[0] if reward.columns else None
    samples = samples_from(data, columns, run, rows, needed=reward.columns, gold=gold)
    subject = f"reward {reward.name} of {found.origin}"
    print_report(try_reward(reward, subject, samples, declares=found.distribution is not None), as_json=as_json)


rewards.command("grade")(grade_file)


def _options_in(entries: Sequence[Any], name: str) -> dict[str, Any]:
    """The options that a filter or reward has in a run."""
    return next((dict(entry.options) for entry in entries if entry.name == name), {})


def _abilities(host: "PluginHost", name: str) -> dict[str, str]:
    """What only a filter that is built can tell; nothing when it cannot be built without options."""
    from gpocli.contracts.filter import GroupFilter
    from gpocli.errors import GpoError

    try:
        group_filter = GroupFilter([host.build_filter(name)])
    except GpoError:
        return {}
    return {
        "rewards": "needed" if group_filter.needs_rewards else "not needed",
        "races": "no" if not group_filter.can_race else "where rewards can" if group_filter.needs_rewards else "yes",
        "keeps": "up to k, fewer of some groups" if group_filter.adaptive else "k",
    }


def list_kind(kind: "Kind", as_json: bool) -> None:
    """Print all there are of a kind, with where each is from."""
    from gpocli.plugin_manager import load_plugins

    host = load_plugins()
    found: Mapping[str, Registered[Any]] = getattr(host, f"{kind}s")
    if as_json:
        print_json([_as_dict(one) for one in found.values()])
        return
    rows = [
        (name, one.plugin if one.distribution is None else f"{one.distribution} {one.version}", one.extension.summary)
        for name, one in found.items()
    ]
    print_table(plain_table(("name", "from", "summary"), rows))
    # What cannot be used is missing above, and somebody may be looking for it.
    print_lines(*(clash for clash in host.clashes if clash.startswith(f"{kind} ")), *map(str, host.broken))


def show_kind(found: "Registered[Any]", kind: "Kind", needs: Mapping[str, str], as_json: bool) -> None:
    """Print one filter, reward or guard with its options; `needs` are further lines, by their heading."""
    from dataclasses import asdict

    from gpocli.contracts.option_docs import option_docs

    options = option_docs(found.extension.options)
    if as_json:
        print_json({**_as_dict(found), "options": [asdict(one) for one in options], **needs})
        return
    place = ", ".join(filter(None, (found.distribution and found.origin, found.file))) or found.plugin
    print_lines(f"{kind} {found.extension.name}: {found.extension.summary}", f"from: {place}")
    print_lines(*(f"{heading}: {text}" for heading, text in needs.items()))
    print_lines("options:" if options else "options: none")
    for one in options:
        default = "must be given" if one.default is None else f"default {one.default}"
        print_lines(f"  {one.name}: {one.wanted}; {default}")
        _print_indented(" ".join((one.doc or "(without a description)").split()))


def _print_indented(text: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    if console.is_terminal:
        console.print(Padding(Text(text), (0, 0, 0, 4)))
    else:
        print_lines(f"    {text}")


def _as_dict(found: "Registered[Any]") -> dict[str, Any]:
    extension = found.extension
    return {
        "name": extension.name,
        "summary": extension.summary,
        "plugin": found.plugin,
        "distribution": found.distribution,
        "version": found.version,
        "file": found.file,
        "options": list(extension.options.model_fields),
    }
