"""What is printed of a recorded group."""

from io import StringIO

from rich.console import Console

from gpocli.cli.group_view import group_json, group_view
from gpocli.runs.groups import RecordedGroup
from tests.runs.made_run import candidate, four


def printed(group, chosen, width=80):
    console = Console(file=StringIO(), width=width)
    console.print(group_view(group, chosen, width))
    return console.file.getvalue()


def test_each_reward_has_a_column_where_there_are_several():
    one = candidate(1, 0, 0, "kept", rewards={"accuracy": 1.0, "style": None})
    assert "reward  accuracy  style  length" in printed(RecordedGroup([one]), [one])


def test_a_cut_completion_is_told():
    one = candidate(1, 0, 0, "rejected", finished=False)
    assert "[0] rejected, length 1, reward -, cut" in printed(RecordedGroup([one]), [one])


def test_what_is_written_is_no_markup():
    one = candidate(1, 0, 0, "kept", text="[bold]x[/bold]", prompt="[red]p")
    out = printed(RecordedGroup([one]), [one])
    assert "[bold]x[/bold]" in out
    assert "[red]p" in out


def test_json_has_the_chosen_alone():
    group = RecordedGroup(four(1, 0))
    assert [one["candidate"] for one in group_json(group, group.candidates[2:])["candidates"]] == [2, 3]
