"""What `gpo filters test` and `gpo rewards test` share: their options, the rows they try, and the report."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.console import plain_table, print_json, print_lines, print_table

if TYPE_CHECKING:
    from gpocli.data import Rows
    from gpocli.trial.report import KindRow, Report
    from gpocli.trial.samples import Samples

Data = Annotated[
    str | None,
    typer.Option("--data", help="File or hub id. [dim]\\[default: embedded][/dim]", show_default=False),
]
Run = Annotated[
    Path | None,
    typer.Option("--run", help="Run whose completions are tried.", show_default=False),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--map", help="Column for ours; repeats.", metavar="OURS=THEIRS", show_default=False),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", help="Option to try it with; repeats.", metavar="NAME=VALUE", show_default=False),
]
RowCount = Annotated[int, typer.Option("--rows", min=1, help="How many rows or groups.", metavar="N")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def options_from(texts: Sequence[str] | None, set_before: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `set_before`, and on top of them those given as `name=value`, values as in YAML."""
    from gpocli.errors import SpecError
    from gpocli.spec.yaml_text import TextError, read_yaml

    options = dict(set_before)
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise SpecError(f"--option '{text}' is not NAME=VALUE; write --option {name or 'NAME'}=VALUE")
        try:
            read = read_yaml(value, f"--option {text}")
        except TextError as error:
            raise SpecError(f"--option {text}: {error}; write a value as in YAML") from error
        options[name] = read.value
    return options


def samples_from(
    data: str | None,
    columns: Sequence[str] | None,
    run: Path | None,
    count: int,
    *,
    needed: Sequence[str] = (),
    gold: str | None = None,
) -> "Samples":
    """Recorded completions of a run, or made-up ones; `needed` are columns that must be there. Raises SpecError."""
    from gpocli.data.load import load_rows
    from gpocli.errors import SpecError
    from gpocli.trial.made_up import made_up
    from gpocli.trial.recorded import recorded, run_spec

    if run is None or data is not None:
        rows = rows_from(data, columns, count if run is None else None)
    elif columns:
        raise SpecError("--map goes with --data; leave it out, for the run knows its own columns")
    else:
        # All of them, for the run may have drawn any.
        rows = load_rows(run_spec(run).data.model_copy(update={"streaming": False}))
    for name in needed:
        if name not in rows.columns:
            found = ", ".join(f"'{column}'" for column in rows.columns)
            raise SpecError(
                f"{rows.source}: no column '{name}', which it needs; columns found: {found}; map one with "
                f"--map {name}=NAME"
            )
    return made_up(rows, gold) if run is None else recorded(run, rows, count)


def print_report(report: "Report", *, as_json: bool) -> None:
    """Print what a trial found; raises PluginError with a line for each fault."""
    from dataclasses import asdict

    from gpocli.errors import PluginError

    checks = [(check.name, check.finding) for check in report.checks]
    if as_json:
        named = [{"name": name, "finding": finding} for name, finding in checks]
        print_json(asdict(report) | {"checks": named, "faults": report.faults})
    else:
        print_lines(report.subject, report.samples, *report.notes, "")
        if report.kinds:
            _print_kinds(report.kinds)
            print_lines("")
        print_table(plain_table(("check", "finding"), checks))
    if report.faults:
        raise PluginError("\n".join(report.faults))


def _print_kinds(kinds: Sequence["KindRow"]) -> None:
    from gpocli.trial.report import number

    headers = ["completion", "number", "none", "lowest", "mean", "highest", "kept"]
    rows = []
    for kind in kinds:
        values = ["-" if one is None else number(one) for one in (kind.lowest, kind.mean, kind.highest)]
        rows.append([kind.kind, str(kind.count), str(kind.missing), *values, str(kind.kept)])
    if kinds[0].kept is None:  # a reward keeps nothing
        headers, rows = headers[:-1], [row[:-1] for row in rows]
    print_table(plain_table(headers, rows, right=headers[1:]))


def rows_from(data: str | None, columns: Sequence[str] | None, limit: int | None) -> "Rows":
    """The first rows of a data source, of the embedded task without one. Raises SpecError."""
    from gpocli.data.columns import IN_A_SPEC
    from gpocli.data.load import load_rows
    from gpocli.errors import SpecError
    from gpocli.settings.data import DataSpec

    section = DataSpec(source=data or "embedded", columns=columns_from(columns), limit=limit, bad_rows="drop")
    try:
        return load_rows(section)
    except SpecError as error:  # here the columns are named on the command line, not in a spec
        raise SpecError(str(error).replace(IN_A_SPEC, "").replace("data.columns.", "--map ")) from error


def columns_from(texts: Sequence[str] | None) -> dict[str, str]:
    """What `--map` says: our name for a column, and theirs."""
    from gpocli.settings.data import read_columns

    try:
        return read_columns(list(texts or []))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
