"""`gpo data difficulty`: how often a model answers each prompt rightly, before anything is trained on them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import plain_table, print_json, print_lines, print_table
from gpocli.cli.eval import Limit, Map, Rewards, Right, measured, named_columns
from gpocli.cli.generate import MaxTokens, Seed, System, Temperature, sampling_flags
from gpocli.cli.spec_command import AsJson, Set

if TYPE_CHECKING:
    from gpocli.measuring.difficulty import Difficulty
    from gpocli.measuring.measure import Measured

Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A file, a hub id, embedded or gym:TASK.", show_default=False)
]
Model = Annotated[str, typer.Option("--model", help="Who is asked: a run, a folder or a hub id.", metavar="MODEL")]
Split = Annotated[
    str | None, typer.Option("--split", help="Which split [dim]\\[default: train][/dim].", metavar="NAME")
]
Samples = Annotated[int, typer.Option("-n", "--n", min=2, help="Answers to each prompt.", metavar="N")]
Low = Annotated[
    float | None,
    typer.Option("--min", min=0, max=1, help="Write prompts of this pass rate or more.", show_default=False),
]
High = Annotated[
    float | None,
    typer.Option("--max", min=0, max=1, help="Write prompts of this pass rate or less.", show_default=False),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Write the prompts with a column pass_rate.", metavar="FILE.jsonl", show_default=False),
]
To = Annotated[
    Path | None,
    typer.Option("--to", help="Where answers are recorded [dim]\\[default: evaluations][/dim].", metavar="FOLDER"),
]
_PARTS = ((0.0, "all wrong"), (0.25, "to 0.25"), (0.5, "to 0.5"), (0.75, "to 0.75"), (1.0, "below 1"))


def difficulty_command(
    source: Source,
    model: Model = "embedded",
    split: Split = None,
    limit: Limit = None,
    columns: Map = None,
    samples: Samples = 8,
    rewards: Rewards = None,
    right: Right = None,
    low: Low = None,
    high: High = None,
    out: Out = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    system: System = None,
    seed: Seed = 0,
    to: To = None,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Tell how often a model answers each prompt rightly, and write those that it can learn from.

    A group of one reward teaches nothing: prompts that are always or never
    answered rightly cost their sampling. Answers are recorded as they come, so
    that the same command goes on where it was stopped.
    """
    from gpocli.asking.source import find_asked
    from gpocli.measuring.difficulty import Difficulty, write_rows
    from gpocli.measuring.plan import make_plan
    from gpocli.measuring.prompts import Wanted

    if out is None and (low is not None or high is not None):
        raise typer.BadParameter("--min and --max choose what is written; name a file with --out")
    low, high = low or 0.0, 1.0 if high is None else high
    if low > high:
        raise typer.BadParameter(f"--min {low:g} is above --max {high:g}, so no prompt would be written")
    asked = find_asked(model, overrides or (), sampling_flags(temperature, max_tokens, system))
    wanted = Wanted(source, split or "train", limit, named_columns(columns or ()))
    found = measured(make_plan(asked, wanted, rewards or (), right, samples=samples, seed=seed), to)
    difficulty = Difficulty.of(found)
    chosen = difficulty.within(low, high)
    if out is not None:
        write_rows(found, difficulty, chosen, out)
    if as_json:
        print_json(_as_json(found, difficulty, chosen, out))
    else:
        _print(found, difficulty, chosen, out)


def _as_json(found: "Measured", difficulty: "Difficulty", chosen: list[int], out: Path | None) -> dict[str, object]:
    lines = found.plan.rows.lines
    return {
        "model": found.plan.asked.name,
        "samples": difficulty.samples,
        "right": found.plan.rewards.right,
        "pass_rates": [{"row": lines[number], "pass_rate": rate} for number, rate in enumerate(difficulty.rates)],
        "flat": {str(size): share for size, share in difficulty.flat().items()},
        "written": None if out is None else {"file": str(out), "prompts": len(chosen)},
        "folder": str(found.path),
    }


def _print(found: "Measured", difficulty: "Difficulty", chosen: list[int], out: Path | None) -> None:
    from gpocli.cli.eval_view import heading
    from gpocli.errors import counted

    print_lines(*heading(found), "")
    counts = _counts([rate for rate in difficulty.rates if rate is not None])
    total = sum(counts.values())
    rows = [[part, str(count), f"{count / total:.0%}"] for part, count in counts.items()]
    print_table(plain_table(["pass rate", "prompts", "share"], rows, right=("prompts", "share")))
    flat = ", ".join(f"{share:.0%} of {size}" for size, share in difficulty.flat().items())
    print_lines("", f"groups that would be flat: {flat}", f"recorded in {found.path}")
    if out is not None:
        print_lines(f"written: {counted(len(chosen), 'prompt')} of {len(found.plan.rows)} to {out}")


def _counts(rates: list[float]) -> dict[str, int]:
    """How many prompts have a pass rate in each part, the first and the last of one value alone."""
    counts = dict.fromkeys([word for _, word in _PARTS] + ["all right"], 0)
    for rate in rates:
        counts["all right" if rate == 1 else next(word for most, word in _PARTS if rate <= most)] += 1
    return counts
