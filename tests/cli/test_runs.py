"""`gpo runs`: listed, shown, compared and removed, to the letter."""

import io
import json
import sys

import pytest

from gpocli.runs.directory import RunDirectory
from tests.cli.conftest import GFPO, metrics
from tests.cli.in_process import User
from tests.runs.made_run import four, make_run, record


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def test_runs_are_listed(user):
    make_run(user.folder / "runs" / "a")
    make_run(user.folder / "runs" / "b", steps=1, of=3, ended=False, model={"name": "m"})
    done = user.gpo("runs", "list")
    lines = [line.split() for line in done.out.splitlines()]
    assert done.code == 0
    assert lines[0] == ["run", "state", "algorithm", "filter", "model", "steps", "reward", "length", "size"]
    assert lines[1][:-2] == ["runs/a", "done", "gfpo", "length", "embedded", "2/2", "0.200", "8.0"]
    assert lines[2][:-2] == ["runs/b", "interrupted", "gfpo", "length", "m", "1/3", "0.100", "9.0"]


def test_many_runs_are_listed_alike(user, monkeypatch):
    for name in ("a", "b"):
        make_run(user.folder / "runs" / name)
    few = user.gpo("runs", "list").out
    monkeypatch.setattr("gpocli.cli.runs.FEW", 1)
    assert user.gpo("runs", "list").out == few


def test_a_list_is_json(user):
    make_run(user.folder / "mine" / "a")
    (row,) = json.loads(user.gpo("runs", "list", "mine", "--json").out)
    assert list(row) == [
        *("path", "name", "state", "algorithm", "filters", "model", "steps", "of", "reward", "accuracy", "length"),
        *("size", "changed"),
    ]


def test_no_runs_are_told(user):
    assert user.gpo("runs", "list").code == 2
    (user.folder / "runs").mkdir()
    assert user.gpo("runs", "list").out == "no runs here\n"
    assert user.gpo("runs", "list", "--json").out == "[]\n"


def test_a_run_is_shown(user):
    record(make_run(user.folder / "a"), four(1, 0), four(2, 0))
    out = user.gpo("runs", "show", "a").out
    assert "state:       done\n" in out
    assert "recorded:    steps 1 to 2\n" in out
    assert "final model: a/model\n" in out
    assert "2 steps in 1:00: reward 0.100 to 0.200" in out


def test_a_run_is_shown_as_json(user):
    make_run(user.folder / "a")
    shown = json.loads(user.gpo("runs", "show", "a", "--json").out)
    assert (shown["summary"]["reward_last"], shown["model_path"], shown["manifest"]) == (0.2, "a/model", {})


def test_the_best_checkpoint_is_marked(user):
    run = make_run(user.folder / "a", trl={"metric_for_best_model": "reward"}, run={"steps": 2, "eval_every": 1})
    for step in (1, 2):
        (run / f"checkpoints/checkpoint-{step}").mkdir(parents=True)
        noted = {"best_global_step": 1, "best_metric": 0.25}
        (run / f"checkpoints/checkpoint-{step}/trainer_state.json").write_text(json.dumps(noted))
    assert "checkpoints: checkpoint-1 (best reward: 0.25), checkpoint-2\n" in user.gpo("runs", "show", "a").out
    best = {"checkpoint": "a/checkpoints/checkpoint-1", "metric": "reward", "value": 0.25}
    assert json.loads(user.gpo("runs", "show", "a", "--json").out)["best"] == best


@pytest.mark.slow
def test_the_best_checkpoint_is_kept_beyond_the_newest(folder):
    """The shortest answers by the evaluations of a run of its own, whose best is not among the last two."""
    more = ("--steps", 5, "--set", "run.eval_every=1", "--set", "run.save_every=1", "--set", "run.keep_checkpoints=2")
    best = ("--set", "trl.metric_for_best_model=rewards/odd_length/mean", "--set", "data.eval_source=data.jsonl")
    done = folder.gpo(*GFPO, "--reward", "./mine.py:odd_length", *more, *best)
    assert done.code == 0, done.stderr
    values = {one["step"]: one["eval_rewards/odd_length/mean"] for one in metrics(folder.path / "out", "eval")}
    wanted = max(range(1, 6), key=lambda step: (values[step], -step))
    shown = json.loads(folder.gpo("runs", "show", "out", "--json").stdout)
    assert shown["best"]["checkpoint"] == f"out/checkpoints/checkpoint-{wanted}"
    assert shown["best"]["value"] == values[wanted]
    assert f"out/checkpoints/checkpoint-{wanted}" in shown["checkpoints"]


def test_differences_are_told(user):
    make_run(user.folder / "a", optim={"learning_rate": 1e-5})
    make_run(user.folder / "b")
    make_run(user.folder / "c")
    assert user.gpo("runs", "diff", "b", "c").out == "the same settings\n"
    lines = user.gpo("runs", "diff", "a", "b").out.splitlines()
    assert [line.split() for line in lines] == [["setting", "a", "b"], ["optim.learning_rate", "1e-05", "1e-06"]]
    told = json.loads(user.gpo("runs", "diff", "a", "b", "--json").out)
    assert told == {"runs": ["a", "b"], "differences": [{"setting": "optim.learning_rate", "values": [1e-5, 1e-6]}]}


def test_one_run_differs_from_nothing(user):
    make_run(user.folder / "a")
    done = user.gpo("runs", "diff", "a")
    assert (done.code, done.err) == (2, "runs differ from each other; name two or more\n")


def test_a_run_is_removed_when_told_so(user):
    make_run(user.folder / "a")
    assert user.gpo("runs", "rm", "a", "--yes").code == 0
    assert not (user.folder / "a").exists()


def test_nobody_to_ask_removes_nothing(user, monkeypatch):
    make_run(user.folder / "a")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    done = user.gpo("runs", "rm", "a")
    assert done.code == 2
    assert done.err.endswith("nobody is there to ask; write --yes to remove without asking\n")
    assert (user.folder / "a").exists()


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1)])
def test_it_asks(user, monkeypatch, answer, code):
    make_run(user.folder / "a")
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert user.gpo("runs", "rm", "a").code == code
    assert (user.folder / "a").exists() == (code == 1)


def test_a_run_that_goes_on_is_not_removed(user):
    claimed = RunDirectory.open_for_resume(make_run(user.folder / "a"))
    make_run(user.folder / "b")
    done = user.gpo("runs", "rm", "b", "a", "--yes")
    claimed.close()
    assert (done.code, done.err) == (2, "'a' is going on; stop it first\n")
    assert (user.folder / "b").exists()


def test_what_is_no_run_is_told(user):
    done = user.gpo("runs", "show", "none")
    assert (done.code, done.err) == (2, "no run directory 'none'; check the path, or see gpo runs list\n")
