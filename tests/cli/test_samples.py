"""`gpo samples`: groups as a person reads them, and as JSON."""

import json

import pytest

from tests.cli.in_process import User
from tests.runs.made_run import four, make_run, record


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    user = User(tmp_path, monkeypatch, capsys)
    record(make_run(tmp_path / "a"), four(1, 0) + four(1, 1), four(2, 1))
    return user


SHOWN = """\
step 2, group 1, prompt 2
  prompt 2

candidate  outcome   reward  length  score  advantage
        0  kept           1       1     -1          0
        1  kept           1       2     -2          0
        2  rejected       -       3     -3          -
        3  lost           -      4+      -          -

[0] kept, length 1, reward 1
x

[1] kept, length 2, reward 1
xx

[2] rejected, length 3, reward -
xxx

[3] lost, length 4+, reward -
xxxx
"""


def test_a_group_of_the_last_step_is_shown(user):
    done = user.gpo("samples", "a")
    assert (done.code, [line.rstrip() for line in done.out.rstrip().splitlines()]) == (0, SHOWN.splitlines())


def test_kept_and_dropped_stand_side_by_side(user, monkeypatch):
    from gpocli.cli.group_view import WIDE
    from gpocli.cli.samples import console

    monkeypatch.setattr(console, "_width", WIDE)
    lines = user.gpo("samples", "a").out.splitlines()
    assert any(line.startswith("[0] kept") and "[2] rejected" in line for line in lines)


def test_what_is_asked_for_is_shown(user):
    out = user.gpo("samples", "a", "--step", "1", "--dropped", "-n", "1").out
    assert "step 1, group 0" in out
    assert "[2] rejected" in out
    assert "[0] kept" not in out
    assert out.endswith("there are more; --groups 2 shows twice as many\n")


def test_one_prompt_is_followed_over_the_steps(user):
    out = user.gpo("samples", "a", "--prompt", "2").out
    assert [line for line in out.splitlines() if line.startswith("step")] == [
        "step 1, group 1, prompt 2",
        "step 2, group 1, prompt 2",
    ]


def test_samples_are_json(user):
    told = json.loads(user.gpo("samples", "a", "--step", "all", "--outcome", "kept", "-n", "2", "--json").out)
    assert (told["run"], told["more"], len(told["groups"])) == ("a", True, 2)
    assert list(told["groups"][0]) == ["step", "group", "prompt_id", "prompt", "candidates"]
    assert told["groups"][0]["candidates"][1] == {
        "candidate": 1,
        "outcome": "kept",
        "reward": 1.0,
        "rewards": {"accuracy": 1.0},
        "length": 2,
        "finished": True,
        "filter_score": [-2.0],
        "advantage": 0.0,
        "completion": "xx",
    }


def test_nothing_to_show_is_told(user):
    make_run(user.folder / "b")
    assert user.gpo("samples", "b").out == "no completions are recorded in b\n"
    assert user.gpo("samples", "a", "--with-reward", "5:").out == "no such completions in a\n"


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (("--outcome", "won"), "--outcome 'won' is no outcome; write kept, rejected, lost or flat\n"),
        (("--dropped", "--outcome", "lost"), "--dropped is --outcome rejected, lost and flat; leave out one"),
        (("--step", "7"), "nothing is recorded of step 7; there are steps 1 to 2\n"),
    ],
)
def test_a_fault_is_one_line(user, flags, fault):
    done = user.gpo("samples", "a", *flags)
    assert done.code == 2
    assert done.err.startswith(fault)


def test_prompts_are_listed_with_the_share_of_right_answers(user):
    done = user.gpo("samples", "a", "--by-prompt")
    assert [line.split() for line in done.out.splitlines()] == [
        ["prompt", "visits", "right", "first", "last", "text"],
        ["1", "1", "1", "1", "1", "prompt", "1"],
        ["2", "2", "1", "1", "1", "prompt", "2"],
    ]
    told = json.loads(user.gpo("samples", "a", "--by-prompt", "--step", 2, "--json").out)
    assert told == {
        "run": "a",
        "prompts": [{"prompt_id": "2", "prompt": "prompt 2", "visits": [{"step": 2, "rate": 1.0}]}],
    }


def test_more_prompts_than_asked_for_are_told(user):
    assert user.gpo("samples", "a", "--by-prompt", "-n", 1).out.splitlines()[-1] == (
        "the hardest 1 of 2 prompts; -n shows more"
    )


def test_completions_cannot_be_chosen_by_prompt(user):
    done = user.gpo("samples", "a", "--by-prompt", "--dropped")
    assert done.code == 2
    assert "--by-prompt counts all completions of a group; leave out what chooses some" in done.err
