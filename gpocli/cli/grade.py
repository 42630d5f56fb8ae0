"""`gpo rewards grade`: a reward beside grades that completions have already."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.completion import complete_reward
from gpocli.cli.console import plain_table, print_json, print_lines, print_table
from gpocli.cli.trial_view import AsJson, Options

if TYPE_CHECKING:
    from gpocli.trial.grading import Agreement, Graded

_SHOWN = 80
"""Characters of a completion's end in the table."""

File = Annotated[str, typer.Argument(metavar="FILE", help="File with completions and grades.", show_default=False)]
Completion = Annotated[str, typer.Option("--completion", metavar="COLUMN", help="Column with the completions.")]
Grade = Annotated[str, typer.Option("--grade", metavar="COLUMN", help="Column with the grades.")]
Answer = Annotated[str, typer.Option("--answer", metavar="COLUMN", help="Column with the gold answers.")]
RewardName = Annotated[
    str, typer.Option("--reward", metavar="NAME", help="Reward to compare.", autocompletion=complete_reward)
]
Rows = Annotated[int, typer.Option("--rows", min=1, metavar="N", help="How many disagreements are shown.")]


def grade_file(
    file: File,
    completion: Completion = "completion",
    grade: Grade = "grade",
    answer: Answer = "answer",
    reward: RewardName = "accuracy",
    options: Options = None,
    rows: Rows = 20,
    as_json: AsJson = False,
) -> None:
    """Compare a reward with the grades of a file of completions; disagreements come first."""
    from gpocli.cli.trial_view import options_from
    from gpocli.data.load import raw_rows
    from gpocli.errors import SpecError
    from gpocli.plugin_manager import load_plugins
    from gpocli.settings.data import DataSpec
    from gpocli.trial.grading import grade as graded

    host = load_plugins()
    fields = host.find("reward", reward).extension.options.model_fields
    before = {"answer_column": answer} if "answer_column" in fields else {}
    built = host.build_reward(reward, options_from(options, before))
    read = raw_rows(DataSpec(source=file))
    for column in (completion, grade):
        if column not in read.columns:
            found = ", ".join(f"'{name}'" for name in read.columns)
            raise SpecError(f"{read.source}: no column '{column}'; columns found: {found}; name one with an option")
    agreement = graded(built, read, completion, grade)
    if as_json:
        print_json(_as_dict(agreement))
    else:
        _print(agreement, rows)


def _as_dict(agreement: "Agreement") -> dict[str, Any]:
    kinds = {"paid": agreement.paid, "refused": agreement.refused, "missing": agreement.missing}
    counts = {name: len(found) for name, found in kinds.items()}
    rows = [
        {"kind": name, "place": one.place, "grade": one.grade, "reward": one.reward, "completion": one.completion}
        for name, found in kinds.items()
        for one in found
    ]
    return {"completions": len(agreement.graded), "agreement": agreement.share, **counts, "disagreements": rows}


def _print(agreement: "Agreement", limit: int) -> None:
    named = [("paid, graded wrong", agreement.paid), ("not paid, graded right", agreement.refused)]
    named.append(("no reward", agreement.missing))
    found: list[tuple[str, Graded]] = [(kind, one) for kind, kept in named for one in kept]
    if found:
        cells = [(one.place, kind, " ".join(one.completion.split())[-_SHOWN:]) for kind, one in found[:limit]]
        print_table(plain_table(("place", "what", "end of the completion"), cells))
        if len(found) > limit:
            print_lines(f"and {len(found) - limit} more; --rows shows more")
        print_lines("")
    judged = len(agreement.graded) - len(agreement.missing)
    print_lines(
        f"agreement: {agreement.share:.2%} of {judged} completions with a reward",
        *(f"{kind}: {len(kept)}" for kind, kept in named),
    )
