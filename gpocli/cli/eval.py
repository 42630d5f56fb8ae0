"""`gpo eval`: how good and how wordy a model is, with intervals, and beside another one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import error_console, print_json
from gpocli.cli.generate import MaxTokens, Seed, System, Temperature, load, sampling_flags, say
from gpocli.cli.spec_command import AsJson, Set

if TYPE_CHECKING:
    from gpocli.measuring.measure import Measured
    from gpocli.measuring.plan import Plan

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A run, a folder or a hub id.", show_default=False)]
Data = Annotated[
    str | None,
    typer.Option(
        "--data", help="Prompts [dim]\\[default: those that the run evaluates on][/dim].", metavar="FILE|HUB_ID"
    ),
]
Split = Annotated[str | None, typer.Option("--split", help="Of a hub dataset.", metavar="NAME", show_default=False)]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="The first N prompts.", metavar="N")]
Map = Annotated[
    list[str] | None, typer.Option("--map", help="Rename a column of --data; repeats.", metavar="OURS=THEIRS")
]
Samples = Annotated[int, typer.Option("-n", "--n", min=1, help="Answers to each prompt.", metavar="N")]
Rewards = Annotated[
    list[str] | None,
    typer.Option("--reward", help="In place of those of the run; repeats.", metavar="NAME", show_default=False),
]
Right = Annotated[
    str | None, typer.Option("--right", help="The reward that tells what is right.", metavar="NAME", show_default=False)
]
By = Annotated[
    list[str] | None, typer.Option("--by", help="The same for each value of a column; repeats.", metavar="COLUMN")
]
Against = Annotated[
    str | None,
    typer.Option("--against", help="A second model; base: what the run began with.", metavar="MODEL"),
]
Grpo = Annotated[
    str | None,
    typer.Option("--grpo", help="What GRPO made of the same base, for the excess length.", metavar="MODEL"),
]
To = Annotated[
    Path | None,
    typer.Option("--to", help="Where to record [dim]\\[default: evaluations/ of the run][/dim].", metavar="FOLDER"),
]


def eval_command(
    model: Model,
    data: Data = None,
    split: Split = None,
    limit: Limit = None,
    columns: Map = None,
    samples: Samples = 4,
    rewards: Rewards = None,
    right: Right = None,
    by: By = None,
    against: Against = None,
    grpo: Grpo = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    system: System = None,
    seed: Seed = 0,
    to: To = None,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Measure a model, or what a run has trained: right answers, pass@k, lengths, each with its 95 % interval.

    Answers are recorded as they come: the same command goes on where it was stopped, and draws nothing twice.
    """
    from gpocli.asking.source import find_asked
    from gpocli.cli.eval_view import lines
    from gpocli.measuring.plan import beside, make_plan
    from gpocli.measuring.prompts import Wanted
    from gpocli.measuring.result import column_of, result

    if data is None and (split or columns):
        raise typer.BadParameter("--split and --map are about --data; name it")
    asked = find_asked(model, overrides or (), sampling_flags(temperature, max_tokens, system))
    wanted = Wanted(data, split, limit, named_columns(columns or ()))
    plan = make_plan(asked, wanted, rewards or (), right, samples=samples, seed=seed)
    for name in by or ():
        column_of(plan.rows, name)
    others = [None if name is None else beside(plan, name, flag) for flag, name in _others(plan, against, grpo)]
    main = measured(plan, to)
    second, third = (None if one is None else measured(one, to) for one in others)
    found = result(main, second, third, by or ())
    if as_json:
        print_json(found.as_json())
    else:
        lines(found)


def named_columns(texts: Sequence[str]) -> dict[str, str]:
    """What --map says, ours to theirs."""
    from gpocli.settings.data import read_columns

    try:
        return read_columns(list(texts))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _others(plan: "Plan", against: str | None, grpo: str | None) -> list[tuple[str, str | None]]:
    """The other models, each with its flag; the excess length is of a run against its base where nothing is said."""
    from gpocli.asking.source import BASE, base_of

    if grpo is not None and against is None:
        against = BASE
    if against == BASE:
        against = base_of(plan.asked)
    return [("--against", against), ("--grpo", grpo)]


def measured(plan: "Plan", to: Path | None) -> "Measured":
    """Measure one model, telling how far it is."""
    from gpocli.measuring.measure import measure

    with _progress(plan) as tell:
        return measure(plan, load, tell, to)


@contextmanager
def _progress(plan: "Plan") -> "Iterator[_Progress]":
    progress = _Progress(plan.asked.name, len(plan.rows))
    try:
        yield progress
    except KeyboardInterrupt:
        if progress.done:
            say(f"{progress.done:,} of {progress.of:,} prompts are recorded; the same command goes on")
        raise
    finally:
        progress.close()


class _Progress:
    """Tells on a terminal how many prompts are recorded; where a program reads, nothing."""

    def __init__(self, name: str, of: int) -> None:
        self._name, self.of, self.done = name, of, 0
        self._status = error_console.status("")
        self._is_shown = False

    def __call__(self, done: int) -> None:
        self.done = done
        if error_console.is_terminal:
            self._status.update(f"{self._name}: {done:,} of {self.of:,} prompts")
            if not self._is_shown:
                self._status.start()
                self._is_shown = True

    def close(self) -> None:
        if self._is_shown:
            self._status.stop()
