"""`gpo data`: what is in a data source, what is wrong with it, and how its prompts reach the model."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.completion import complete_reward
from gpocli.cli.console import error_console, print_json, print_lines
from gpocli.cli.difficulty import difficulty_command
from gpocli.cli.trial_view import AsJson, Columns, columns_from

if TYPE_CHECKING:
    from gpocli.contracts.building import NamedReward
    from gpocli.spec.load import Draft

app = typer.Typer(help="Check data, and see what the model gets.", no_args_is_help=True, rich_markup_mode="rich")

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Files, a folder, a pattern, - for standard input, a hub id, embedded or gym:TASK; or a run spec.",
        show_default=False,
    ),
]
Split = Annotated[
    str | None,
    typer.Option("--split", help="Split of a hub dataset, a saved one or the embedded task.", show_default=False),
]
Rewards = Annotated[
    list[str] | None,
    typer.Option(
        "--reward",
        help="Reward that is to be paid, by name, ./file.py:name or package:name; repeats.",
        metavar="NAME",
        show_default=False,
        autocompletion=complete_reward,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any value of a spec; repeats.", metavar="KEY=VALUE", show_default=False),
]


@app.command("check")
def check_command(
    sources: Sources,
    columns: Columns = None,
    split: Split = None,
    rewards: Rewards = None,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Tell all that is wrong with data at once: each kind of fault, how often, and where first.

    Also what each reward needs, gold answers that are empty or cannot be read,
    prompts that come twice, those of the training data among those to evaluate
    on, and for a spec, or with --set data.max_prompt_tokens, prompts over the
    limit; counts and a digest. Exit code 2: a run would refuse the data.
    """
    from gpocli.checks.data_report import report_data
    from gpocli.cli.data_view import print_reports, report_as_dict
    from gpocli.errors import SpecError

    draft = _draft(sources, columns, split, rewards, overrides)
    spec = draft.loaded().spec
    built = _built_rewards(draft) if rewards or _have_spec(sources) else []
    reports = report_data(spec, built, lengths=_have_spec(sources))
    said = _say(sources)
    faults = [said(fault) for report in reports for fault in report.survey.faults]
    if as_json:
        print_json({"ok": not faults, "sources": [report_as_dict(report, said) for report in reports]})
    else:
        print_reports(reports)
        for report in reports:
            for note in report.survey.notes:
                error_console.print(f"note: {said(note)}", markup=False, soft_wrap=True)
    if faults and as_json:  # they are in the JSON already
        raise typer.Exit(SpecError.exit_code)
    if faults:
        raise SpecError("\n".join(faults))


@app.command("preview")
def preview_command(
    sources: Sources,
    count: Annotated[int, typer.Option("-n", min=0, help="How many prompts to show.", metavar="N")] = 3,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Folder or hub id of the model that gets them [dim]\\[default: embedded][/dim].",
            show_default=False,
        ),
    ] = None,
    columns: Columns = None,
    split: Split = None,
    rewards: Rewards = None,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Show prompts as the model gets them, their tokens, and what each reward needs.

    Chats go through the model's chat template. Prompts over the limit have more
    tokens than data.max_prompt_tokens, or than the model's context leaves.
    """
    from gpocli.checks.data_report import Need, missing_columns, preview_data
    from gpocli.cli.data_view import preview_as_dict, print_preview
    from gpocli.errors import SpecError

    draft = _draft(sources, columns, split, rewards, overrides, model)
    said = _say(sources)
    try:
        preview = preview_data(draft.loaded().spec, count)
    except SpecError as error:
        raise SpecError(said(str(error))) from error
    asked = _built_rewards(draft) if rewards or _have_spec(sources) else _all_rewards()
    needs = [Need(reward.name, reward.columns, missing_columns(preview.rows, reward)) for reward in asked]
    if as_json:
        print_json(preview_as_dict(preview, needs, count, said))
        return
    for note in preview.rows.notes:
        error_console.print(f"note: {said(note)}", markup=False, soft_wrap=True)
    print_preview(preview, needs, count)


app.command("difficulty")(difficulty_command)


# The spec behind a command line


def _is_spec(source: str) -> bool:
    return source.lower().endswith((".yaml", ".yml", ".toml"))


def _have_spec(sources: Sequence[str]) -> bool:
    return any(map(_is_spec, sources))


def _draft(
    sources: Sequence[str],
    columns: Sequence[str] | None,
    split: str | None,
    rewards: Sequence[str] | None,
    overrides: Sequence[str] | None,
    model: str | None = None,
) -> "Draft":
    """The spec that the options make: the files among the sources that are specs, and the data on top of them."""
    import os

    from gpocli.spec.layer import Assignment, Place
    from gpocli.spec.sources import SpecSources, draft_run_spec

    data = [source for source in sources if not _is_spec(source)]
    given = [
        ("SOURCE", "data.source", ",".join(data) or None),
        ("--map", "data.columns", columns_from(columns) or None),
        ("--split", "data.split", split),
        ("--model", "model.name", model),
        ("--reward", "rewards", list(rewards or []) or None),
    ]
    flags = [Assignment(path, value, Place(name)) for name, path, value in given if value is not None]
    files = [Path(source) for source in sources if _is_spec(source)]
    return draft_run_spec(SpecSources(files, overrides or [], flags, None, os.environ))


def _built_rewards(draft: "Draft") -> list["NamedReward"]:
    """The rewards of the spec. Raises the error of those that cannot be had."""
    from gpocli.checks.extensions import check_rewards
    from gpocli.checks.findings import Findings
    from gpocli.plugin_manager import load_plugins
    from gpocli.spec.fault import as_error

    findings = Findings(draft)
    built = check_rewards(findings, load_plugins())
    if findings.faults:
        raise as_error(findings.faults)
    return built


def _all_rewards() -> list["NamedReward"]:
    """Every reward that there is and that needs a column, as far as its record tells."""
    from gpocli.contracts.building import NamedReward
    from gpocli.plugin_manager import load_plugins

    needing = [(name, one.extension.columns) for name, one in load_plugins().rewards.items() if one.extension.columns]
    return [NamedReward(name, print_lines, tuple(columns)) for name, columns in needing]


def _say(sources: Sequence[str]) -> Callable[[str], str]:
    """How messages are said: without a spec, columns are mapped on the command line."""
    from gpocli.data.columns import IN_A_SPEC

    has_spec = _have_spec(sources)

    def said(text: str) -> str:
        if not has_spec:
            text = text.replace(IN_A_SPEC, "").replace("data.columns.", "--map ")
            text = text.replace("set data.", "add --set data.")
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)

    return said
