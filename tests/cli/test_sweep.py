"""`gpo sweep`: commands for a scheduler, faults, and one real sweep that fails in part, stops and goes on."""

import json
import signal

import pytest

from tests.cli.in_process import User


@pytest.fixture
def user(tmp_path, monkeypatch, capsys) -> User:
    return User(tmp_path, monkeypatch, capsys)


def test_print_writes_the_commands_and_the_specs_that_they_name(user):
    user.write("s.yaml", "run: {steps: 2}\n")
    said = user.gpo("sweep", "s.yaml", "--grid", "optim.learning_rate=1e-6,3e-6", "--print", "--out", "there")
    assert said.out.splitlines() == [
        "gpo train gfpo there/specs/learning_rate-1e-6.yaml",
        "gpo train gfpo there/specs/learning_rate-3e-6.yaml",
    ]
    assert sorted(path.name for path in (user.folder / "there").rglob("*")) == [
        "learning_rate-1e-6.yaml",
        "learning_rate-3e-6.yaml",
        "specs",
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "there is nothing to sweep over; write --grid KEY=VALUE,VALUE or --seeds N"),
        (["--grid", "optim.learning_rat=1,2"], "optim.learning_rat"),
        (["--seeds", "2", "--reward", "acuracy"], "acuracy"),
    ],
)
def test_faults_are_told_before_anything_is_written(user, arguments, line):
    said = user.gpo("sweep", *arguments)
    assert said.code == 2
    assert line in said.err
    assert list(user.folder.iterdir()) == []


SPEC = """
algorithm: {type: grpo, group_size: 4}
batch: {prompts_per_step: 1}
data: {source: data.jsonl}
model: {name: ./model}
rewards: ["./mine.py:breaks_while_told"]
run: {steps: 2, save_every: 1}
sampling: {max_tokens: 4}
"""
JUDGE = """
import pathlib


def breaks_while_told(completions, **columns):
    if pathlib.Path("break").exists():
        raise ValueError("no judge")
    return [float(len(text)) for text in completions]
"""


@pytest.mark.slow
def test_a_sweep_fails_in_part_is_stopped_and_goes_on(folder):
    folder.write(s_yaml=SPEC, mine_py=JUDGE)
    (folder.path / "break").touch()
    grid = ["sweep", "s.yaml", "--grid", "optim.learning_rate=1e-6,3e-6"]
    failed = folder.python_m_gpocli(*grid)
    assert failed.code == 3
    assert "2 of 2 runs failed: learning_rate-1e-6 (3), learning_rate-3e-6 (3)" in failed.stderr
    (folder.path / "break").unlink()
    running = folder.start_python("-m", "gpocli", *grid)
    running.wait_until(lambda: running.prints("learning_rate-1e-6: done"))
    running.send(signal.SIGTERM)
    assert running.outcome().code == 143
    done = folder.python_m_gpocli(*grid, "--json")
    assert done.code == 0, done.stderr
    assert "learning_rate-1e-6: done already" in done.stderr
    assert [one["outcome"] for one in json.loads(done.stdout)["runs"]] == ["done", "done"]
