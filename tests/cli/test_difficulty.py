"""`gpo data difficulty`: a table, JSON, a file of what can be learned from, and what is refused."""

import json
from pathlib import Path

import pytest

from tests.cli.in_process import User
from tests.measuring.made_up import plan_of, record, write_data

ASK = ("data", "difficulty", "data.jsonl", "-n", 2, "--reward", "accuracy")


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    """Someone with `data.jsonl`, to which the embedded model has given all answers."""
    user = User(tmp_path, monkeypatch, capsys)
    record(plan_of(write_data(Path("data.jsonl"))).folder())
    return user


def test_the_table(user):
    said = user.gpo(*ASK)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[:-1] == [
        "embedded on 20 prompts of data.jsonl, 2 answers each; right: accuracy above a half",
        "",
        "pass rate  prompts  share",
        "all wrong        5    25%",
        "to 0.25          0     0%",
        "to 0.5          10    50%",
        "to 0.75          0     0%",
        "below 1          0     0%",
        "all right        5    25%",
        "",
        "groups that would be flat: 50% of 2",
    ]
    assert said.out.splitlines()[-1].startswith("recorded in evaluations/embedded-data-")


def test_what_can_be_learned_from_is_written(user):
    said = user.gpo(*ASK, "--min", 0.1, "--max", 0.9, "--out", "learn.jsonl")
    assert said.out.splitlines()[-1] == "written: 10 prompts of 20 to learn.jsonl"
    rows = [json.loads(line) for line in Path("learn.jsonl").read_text().splitlines()]
    assert [(row["answer"], row["pass_rate"]) for row in rows] == [(str(n + 1), 0.5) for n in range(5, 15)]


def test_json(user):
    told = json.loads(user.gpo(*ASK, "--json", "--out", "all.jsonl").out)
    assert told["pass_rates"][4:6] == [{"row": 5, "pass_rate": 1.0}, {"row": 6, "pass_rate": 0.5}]
    assert (told["flat"], told["written"]) == ({"2": 0.5}, {"file": "all.jsonl", "prompts": 20})


@pytest.mark.parametrize(
    ("flags", "fault"),
    [
        (("--min", 0.1), "--min and --max choose what is written; name a file with --out"),
        (("--min", 0.9, "--max", 0.1, "--out", "o"), "--min 0.9 is above --max 0.1, so no prompt would be written"),
    ],
)
def test_bounds_that_choose_nothing_are_refused(user, flags, fault):
    said = user.gpo(*ASK, *flags)
    assert said.code == 2
    assert fault in said.err
