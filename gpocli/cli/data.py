"""`gpo data`: what is in a data source, what is wrong with it, and how its prompts reach the model."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.completion import complete_reward
from gpocli.cli.console import error_console
from gpocli.cli.extension_view import plain_table, print_json, print_lines, print_table

if TYPE_CHECKING:
    from gpocli.plugin_manager import NamedReward
    from gpocli.spec.load import Draft
    from gpocli.training.data_report import DataReport, Need, Preview

app = typer.Typer(help="Check data, and see what the model gets.", no_args_is_help=True, rich_markup_mode="rich")

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Files, a folder, a pattern, - for standard input, a hub id, embedded or gym:TASK; or a run spec.",
        show_default=False,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--map", help="Column for ours; repeats.", metavar="OURS=THEIRS", show_default=False),
]
Split = Annotated[
    str | None,
    typer.Option("--split", help="Split of a hub dataset or of the embedded task.", show_default=False),
]
Rewards = Annotated[
    list[str] | None,
    typer.Option(
        "--reward",
        help="Reward that is to be paid, by name or ./file.py:name; repeats.",
        metavar="NAME",
        show_default=False,
        autocompletion=complete_reward,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any value of a spec; repeats.", metavar="KEY=VALUE", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_SPECS = (".yaml", ".yml", ".toml")


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

    Also what each reward needs, gold answers that cannot be read, prompts that
    come twice, counts and a digest. Exit code 2: a run would refuse the data.
    """
    from gpocli.errors import SpecError
    from gpocli.training.data_report import report_data

    draft = _draft(sources, columns, split, rewards, overrides)
    has_rewards = bool(rewards) or any(map(_is_spec, sources))
    reports = report_data(draft.loaded().spec, _built_rewards(draft) if has_rewards else [])
    said = _say(sources)
    faults = [said(fault) for report in reports for fault in report.survey.faults]
    if as_json:
        print_json({"ok": not faults, "sources": [_as_dict(report, said) for report in reports]})
    else:
        for number, report in enumerate(reports):
            print_lines(*([""] if number else []), *_heading(report))
            _print_columns(report)
            if report.survey.kinds:
                print_lines(*(_need_line(need) for need in report.needs))
        for report in reports:
            for note in report.survey.notes:
                error_console.print(f"note: {said(note)}", markup=False, soft_wrap=True)
    if faults and as_json:
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
    from gpocli.errors import SpecError
    from gpocli.training.data_report import preview_data

    draft = _draft(sources, columns, split, rewards, overrides, model)
    said = _say(sources)
    try:
        preview = preview_data(draft.loaded().spec)
    except SpecError as error:
        raise SpecError(said(str(error))) from error
    has_rewards = bool(rewards) or any(map(_is_spec, sources))
    needs = _needs(preview, _built_rewards(draft) if has_rewards else _all_rewards())
    if as_json:
        print_json(_preview_as_dict(preview, needs, count, said))
        return
    for note in preview.rows.notes:
        error_console.print(f"note: {said(note)}", markup=False, soft_wrap=True)
    rows = preview.rows
    print_lines(f"{rows.source}: {_rows(len(rows))}; columns: {', '.join(rows.columns)}")
    for index in range(min(count, len(rows))):
        print_lines("", f"{rows.place(index)}, {preview.counts[index]:,} tokens", preview.texts[index])
        print_lines(*(f"  {name}: {_brief(rows[index][name])}" for name in rows.columns if name != "prompt"))
    print_lines("", *_token_lines(preview))
    print_lines(*(_need_line(need) for need in needs))


# The spec behind a command line


def _is_spec(source: str) -> bool:
    return source.lower().endswith(_SPECS)


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

    from gpocli.spec.layer import Flag
    from gpocli.training.layers import SpecSources, draft_run_spec

    flags: dict[str, Any] = {}
    if data := [source for source in sources if not _is_spec(source)]:
        flags["data.source"] = Flag("SOURCE", ",".join(data))
    for text in columns or []:
        ours, equals, theirs = text.partition("=")
        if not equals or not ours or not theirs:
            raise typer.BadParameter(f"'{text}' is not OURS=THEIRS; write --map prompt=question")
        flags[f"data.columns.{ours}"] = Flag("--map", theirs)
    for name, path, value in (("--split", "data.split", split), ("--model", "model.name", model)):
        if value is not None:
            flags[path] = Flag(name, value)
    if rewards:
        flags["rewards"] = Flag("--reward", [{"name": name} for name in rewards])
    files = [Path(source) for source in sources if _is_spec(source)]
    return draft_run_spec(SpecSources(files, overrides or [], flags, None, os.environ))


def _built_rewards(draft: "Draft") -> list["NamedReward"]:
    """The rewards of the spec. Raises the error of those that cannot be had."""
    from gpocli.plugin_manager import load_plugins
    from gpocli.spec.fault import as_error
    from gpocli.training.checks.extensions import check_rewards
    from gpocli.training.checks.findings import Findings

    findings = Findings(draft)
    built = check_rewards(findings, load_plugins())
    if findings.faults:
        raise as_error(findings.faults)
    return built


def _all_rewards() -> list["NamedReward"]:
    """Every reward that there is and that needs a column, as far as its record tells."""
    from gpocli.plugin_manager import NamedReward, load_plugins

    needing = [(name, one.extension.columns) for name, one in load_plugins().rewards.items() if one.extension.columns]
    return [NamedReward(name, print_lines, tuple(columns)) for name, columns in needing]


def _needs(preview: "Preview", rewards: Sequence["NamedReward"]) -> list["Need"]:
    from gpocli.training.data_report import Need, missing_columns

    return [Need(reward.name, reward.columns, missing_columns(preview.rows, reward)) for reward in rewards]


def _say(sources: Sequence[str]) -> Callable[[str], str]:
    """How messages are said: without a spec, columns are mapped on the command line."""
    has_spec = any(map(_is_spec, sources))

    def said(text: str) -> str:
        told = text if has_spec else text.replace("data.columns.", "--map ").replace("set data.", "add --set data.")
        return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in told)

    return said


# What is printed


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _heading(report: "DataReport") -> list[str]:
    found = report.survey
    for_eval = " (to evaluate on)" if report.purpose == "eval" else ""
    lines = [f"{found.source}{for_eval}: {_rows(found.total)}, {_usable(report)}"]
    return [*lines, f"sha256 {found.digest}"] if found.digest else lines


def _usable(report: "DataReport") -> str:
    rows = report.survey.rows
    if rows is None:
        return "not fit to train on"
    form = "plain text" if isinstance(rows[0]["prompt"], str) else "chat messages"
    return f"{len(rows):,} with a usable prompt ({form})"


def _print_columns(report: "DataReport") -> None:
    kinds = report.survey.kinds
    if not kinds:
        return
    named = sorted({kind: 0 for counts in kinds.values() for kind in counts}, key=lambda kind: kind == "missing")
    rows = [[name, *(f"{counts.get(kind, 0):,}" for kind in named)] for name, counts in kinds.items()]
    print_table(plain_table(["column", *named], rows, right=named))


def _need_line(need: "Need") -> str:
    if not need.columns:
        return f"reward {need.reward} needs no column"
    columns = ", ".join(f"'{name}'" for name in need.columns)
    state = "there" if not need.unread else f"there, {need.unread:,} cannot be read"
    if need.missing:
        missing = ", ".join(f"'{name}'" for name in need.missing)
        state = "not there" if len(need.columns) == 1 else f"{missing} not there"
    return f"reward {need.reward} needs {columns}: {state}"


def _token_lines(preview: "Preview") -> list[str]:
    least, median, most = preview.tokens
    lines = [f"tokens a prompt: {least:,} at least, {median:,g} in the median, {most:,} at most"]
    if preview.limit is None:
        return [*lines, "limit: none"]
    total = len(preview.counts)
    share = f"{preview.over:,} of {total:,} prompts over it ({preview.over / total:.1%})"
    return [*lines, f"limit: {preview.limit:,} ({preview.reason}); {share}"]


def _brief(value: Any) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _as_dict(report: "DataReport", said: Callable[[str], str]) -> dict[str, Any]:
    found = report.survey
    return {
        "purpose": report.purpose,
        "source": found.source,
        "rows": found.total,
        "usable": 0 if found.rows is None else len(found.rows),
        "chat": None if found.rows is None else not isinstance(found.rows[0]["prompt"], str),
        "sha256": found.digest,
        "columns": found.kinds,
        "rewards": [_need_as_dict(need) for need in report.needs],
        "faults": [said(fault) for fault in found.faults],
        "notes": [said(note) for note in found.notes],
    }


def _need_as_dict(need: "Need") -> dict[str, Any]:
    return {"name": need.reward, "needs": need.columns, "missing": need.missing, "unread": need.unread}


def _preview_as_dict(
    preview: "Preview", needs: Sequence["Need"], count: int, said: Callable[[str], str]
) -> dict[str, Any]:
    rows = preview.rows
    least, median, most = preview.tokens
    shown = [
        {
            "place": rows.place(index),
            "text": preview.texts[index],
            "tokens": preview.counts[index],
            "columns": {name: rows[index][name] for name in rows.columns if name != "prompt"},
        }
        for index in range(min(count, len(rows)))
    ]
    return {
        "source": rows.source,
        "rows": len(rows),
        "columns": rows.columns,
        "prompts": shown,
        "tokens": {"least": least, "median": median, "most": most},
        "limit": preview.limit,
        "reason": preview.reason if preview.limit is not None else None,
        "over": preview.over,
        "rewards": [_need_as_dict(need) for need in needs],
        "notes": [said(note) for note in rows.notes],
    }
