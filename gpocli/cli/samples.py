"""`gpo samples`: what a run wrote, group by group, with what became of each completion."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.console import console, plain_table, print_json, print_lines, print_table
from gpocli.cli.spec_command import AsJson

if TYPE_CHECKING:
    from gpocli.runs.groups import RecordedGroup
    from gpocli.runs.records import CandidateRecord

TEXT = 40
"""Characters of a prompt that a line shows."""

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.", show_default=False)]
Step = Annotated[
    str | None,
    typer.Option(
        help="7, 7-9, first, last or all. [dim]\\[default: last; all with --prompt][/dim]", show_default=False
    ),
]
Prompt = Annotated[
    str | None, typer.Option(metavar="ID", help="One prompt over the steps, by its row.", show_default=False)
]
OutcomeOption = Annotated[
    list[str] | None,
    typer.Option("--outcome", help="kept, rejected, lost or flat; repeats.", metavar="OUTCOME", show_default=False),
]
Dropped = Annotated[bool, typer.Option("--dropped", help="Those that are not kept.")]
WithReward = Annotated[
    str | None,
    typer.Option(metavar="LOW:HIGH", help="Rewards from one to another, as 0.5: or :0.", show_default=False),
]
Limit = Annotated[int, typer.Option("-n", "--groups", min=1, metavar="N", help="How many groups, or prompts.")]
ByPrompt = Annotated[bool, typer.Option("--by-prompt", help="How often each prompt was answered rightly.")]


def samples_command(
    path: RunPath,
    step: Step = None,
    prompt: Prompt = None,
    outcome: OutcomeOption = None,
    dropped: Dropped = False,
    with_reward: WithReward = None,
    groups: Limit = 10,
    by_prompt: ByPrompt = False,
    as_json: AsJson = False,
) -> None:
    """Show recorded completions, group by group: kept and dropped ones, rewards, filter scores and advantages."""
    from gpocli.runs.run import Run
    from gpocli.runs.selection import Asked, read_rewards, read_steps

    run = Run.find(path)
    steps = run.candidates.steps
    if by_prompt:
        if prompt is not None or outcome or dropped or with_reward is not None:
            raise typer.BadParameter("--by-prompt counts all completions of a group; leave out what chooses some")
        within = Asked(read_steps(step or "all", steps))
        _print_visits(path, [group for group, _ in within.groups(run.candidates)], groups, as_json)
        return
    asked = Asked(
        read_steps(step or ("last" if prompt is None else "all"), steps),
        prompt,
        _outcomes(outcome or [], dropped),
        None if with_reward is None else read_rewards(with_reward),
    )
    found = asked.groups(run.candidates)
    first = list(islice(found, groups))
    if as_json:
        print_json(_as_json(run.path, first, more=next(found, None) is not None))
    elif not first:
        print_lines(f"no such completions in {path}" if steps else f"no completions are recorded in {path}")
    else:
        _print(first, more=next(found, None) is not None)


def _print_visits(path: Path, recorded: "list[RecordedGroup]", most: int, as_json: bool) -> None:
    from gpocli.evaluation.visits import visited
    from gpocli.runs.step_figures import show

    found = visited(recorded)
    if as_json:
        print_json({"run": str(path), "prompts": [asdict(one) for one in found]})
    elif not found:
        print_lines(f"no completions with a reward are recorded in {path}")
    else:
        headers = ["prompt", "visits", "right", "first", "last", "text"]
        rows = [
            [one.prompt_id, str(len(one.visits)), *map(show, (one.rate, one.visits[0].rate, one.visits[-1].rate)), text]
            for one in found[:most]
            for text in [" ".join(one.prompt.split())[:TEXT]]
        ]
        print_table(plain_table(headers, rows, right=headers[:-1]))
        if len(found) > most:
            print_lines(f"the hardest {most} of {len(found)} prompts; -n shows more")


def _outcomes(given: list[str], dropped: bool) -> list[Any]:
    from gpocli.errors import SpecError

    if dropped and given:
        raise SpecError("--dropped is --outcome rejected, lost and flat; leave out one of the two")
    for one in given:
        if one not in ("kept", "rejected", "lost", "flat"):
            raise SpecError(f"--outcome '{one}' is no outcome; write kept, rejected, lost or flat")
    return ["rejected", "lost", "flat"] if dropped else given


def _as_json(
    path: Path, found: "list[tuple[RecordedGroup, list[CandidateRecord]]]", *, more: bool
) -> dict[str, object]:
    from gpocli.cli.group_view import group_json

    return {"run": str(path), "groups": [group_json(*one) for one in found], "more": more}


def _print(found: "list[tuple[RecordedGroup, list[CandidateRecord]]]", *, more: bool) -> None:
    import os
    from contextlib import nullcontext

    os.environ.setdefault("LESS", "-RFX")  # colours, and no pager for what fits
    with console.pager(styles=True) if console.is_terminal else nullcontext():
        for line in _views(found):
            console.print(line)
        if more:
            console.print(f"there are more; --groups {2 * len(found)} shows twice as many")


def _views(found: "list[tuple[RecordedGroup, list[CandidateRecord]]]") -> Iterator[Any]:
    from gpocli.cli.group_view import group_view

    for group, chosen in found:
        yield group_view(group, chosen, console.width)
