import json

import pytest

from tests.cli.in_process import User

ROWS = [("42", True), ("41", False), ("42", False), ("41", True)]


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    rows = [{"output": rf"\boxed{{{text}}}", "correct": right, "gold": "42"} for text, right in ROWS]
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return User(tmp_path, monkeypatch, capsys)


COMMAND = ("rewards", "grade", "outputs.jsonl", "--completion", "output", "--grade", "correct", "--answer", "gold")


def test_disagreements_come_first(user):
    said = user.gpo(*COMMAND)
    assert (said.code, said.err) == (0, "")
    lines = [line.split() for line in said.out.splitlines()]
    assert lines[1] == ["outputs.jsonl:3", *"paid, graded wrong".split(), r"\boxed{42}"]
    assert lines[2] == ["outputs.jsonl:4", *"not paid, graded right".split(), r"\boxed{41}"]
    assert said.out.splitlines()[-4:] == [
        "agreement: 50.00% of 4 completions with a reward",
        "paid, graded wrong: 1",
        "not paid, graded right: 1",
        "no reward: 0",
    ]


def test_json_has_the_counts_and_all_disagreements(user):
    said = json.loads(user.gpo(*COMMAND, "--json", "--rows", 1).out)
    rows = said.pop("disagreements")
    assert said == {"completions": 4, "agreement": 0.5, "paid": 1, "refused": 1, "missing": 0}
    assert rows[0] == {
        "kind": "paid",
        "place": "outputs.jsonl:3",
        "grade": False,
        "reward": 1.0,
        "completion": r"\boxed{42}",
    }


def test_only_some_are_shown(user):
    assert "and 1 more; --rows shows more" in user.gpo(*COMMAND, "--rows", 1).out


def test_a_column_that_is_not_there_is_named(user):
    said = user.gpo("rewards", "grade", "outputs.jsonl", "--completion", "text")
    assert (said.code, said.out) == (2, "")
    assert "no column 'text'; columns found: 'output', 'correct', 'gold'" in said.err
