"""`gpo replay`: what another filter, k or reward would have kept of what a run has recorded. Loads no model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.completion import complete_filter, complete_reward
from gpocli.cli.console import error_console, plain_table, print_json, print_lines, print_table
from gpocli.cli.spec_command import AsJson

if TYPE_CHECKING:
    from gpocli.replay.figures import KeptFigures, ReplayFigures
    from gpocli.replay.prepare import Prepared

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.", show_default=False)]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="NAME",
        help="Another filter; repeats. [dim]\\[default: the run's][/dim]",
        show_default=False,
        autocompletion=complete_filter,
    ),
]
Keep = Annotated[
    int | None,
    typer.Option(
        "-k",
        "--keep",
        min=1,
        metavar="N",
        help="Kept of a group. [dim]\\[default: the run's][/dim]",
        show_default=False,
    ),
]
Rewards = Annotated[
    list[str] | None,
    typer.Option(
        "--reward",
        metavar="NAME[=WEIGHT]",
        help="Ask this reward, for the recorded ones; repeats.",
        show_default=False,
        autocompletion=complete_reward,
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", help="Option of the first filter; repeats.", metavar="NAME=VALUE", show_default=False),
]


def replay_command(
    path: RunPath,
    filters: Filters = None,
    keep: Keep = None,
    rewards: Rewards = None,
    options: Options = None,
    as_json: AsJson = False,
) -> None:
    """Tell what another filter, k or reward would have kept of the recorded completions, without a model."""
    from gpocli.cli.trial_view import options_from
    from gpocli.errors import SpecError
    from gpocli.replay.figures import replay_figures
    from gpocli.replay.prepare import prepare
    from gpocli.runs.run import Run

    run = Run.find(path)
    if not run.candidates.files:
        raise SpecError(f"no completions are recorded in '{path}'; name a run that has some")
    prepared = prepare(run, filters or [], keep, rewards or [], options_from(options, {}))
    figures = replay_figures(prepared.replay.choices(run.candidates))
    if as_json:
        print_json(_as_json(path, prepared, figures))
        return
    for note in prepared.notes:
        error_console.print(f"note: {note}", markup=False, soft_wrap=True)
    _print(path, prepared, figures)


def _as_json(path: Path, prepared: "Prepared", figures: "ReplayFigures") -> dict[str, Any]:
    from dataclasses import asdict

    replay = prepared.replay
    asked = {"filter": replay.group_filter.name, "keep": replay.keep, "rewards": prepared.reward_names}
    return {"run": str(path), **asked, "notes": prepared.notes, **asdict(figures)}


def _print(path: Path, prepared: "Prepared", figures: "ReplayFigures") -> None:
    from gpocli.errors import counted
    from gpocli.runs.step_figures import show

    replay = prepared.replay
    print_lines(f"{replay.group_filter.name}, keeping {replay.keep}, on {counted(figures.groups, 'group')} of {path}")
    certain = figures.certain_groups
    if certain < figures.groups:
        print_lines(
            f"certain of {certain:,} of {counted(figures.groups, 'group')}: in the others a lost candidate might have "
            "been kept (algorithm.race: false loses none)"
        )
    print_lines("")
    columns = [("recorded", figures.recorded), ("replayed", figures.replayed)]
    columns += [("of the certain", figures.certain)] if 0 < certain < figures.groups else []
    rows = [[word, *(style(one) for _, one in columns)] for word, style in _ROWS]
    headers = ["of the kept", *(name for name, _ in columns)]
    print_table(plain_table(headers, rows, right=headers[1:]))
    print_lines(
        "",
        f"the same are kept in {figures.same:,} of {counted(figures.groups, 'group')}; "
        f"{show(figures.overlap, 'share')} of what the run kept is kept again",
    )


def _number(field: str, style: str) -> Any:
    def shown(one: "KeptFigures") -> str:
        from gpocli.runs.step_figures import show

        return show(getattr(one, field), style)

    return shown


_ROWS: list[tuple[str, Any]] = [
    ("groups", _number("groups", ",")),
    ("completions", _number("kept", ",")),
    ("with a reward", _number("rewarded", ",")),
    ("reward", _number("reward", ".4f")),
    ("length", _number("length", ".2f")),
    ("flat groups", _number("flat", "share")),
]
