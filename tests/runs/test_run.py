"""A run directory tells what it holds and where the run is, whatever state it is in."""

import json

import pytest

from gpocli.errors import SpecError
from gpocli.runs.directory import RunDirectory
from gpocli.runs.run import Run
from tests.runs.made_run import make_run


def test_a_run_that_is_done(tmp_path):
    run = Run.find(make_run(tmp_path / "a"))
    assert (run.state, run.name, run.has_model) == ("done", "a", True)
    assert run.settings["algorithm"]["type"] == run.spec.algorithm.type == "gfpo"
    assert [line["step"] for line in run.metrics()] == [1, 2, 2]
    assert run.last_metrics == run.metrics()[:0:-1]


def test_one_that_ended_before_its_last_step_was_stopped(tmp_path):
    assert Run(make_run(tmp_path / "a", steps=2, of=3)).state == "stopped"


def test_one_without_an_end_was_interrupted(tmp_path):
    assert Run(make_run(tmp_path / "a", ended=False)).state == "interrupted"


def test_one_without_its_model_did_not_come_to_its_end(tmp_path):
    run = Run(make_run(tmp_path / "a"))
    (run.model_path / "training_args.bin").unlink()
    assert run.state == "interrupted"


def test_one_whose_spec_cannot_be_read_is_broken(tmp_path):
    run = Run(make_run(tmp_path / "a"))
    run.spec_path.write_text("a: [")
    assert run.state == "broken"
    run.spec_path.unlink()
    assert Run.find(run.path).state == "broken"


def test_one_that_is_claimed_is_running(tmp_path):
    claimed = RunDirectory.create(tmp_path / "a")
    assert Run(claimed.path).state == "running"
    claimed.close()
    assert Run(claimed.path).state == "broken"  # it has no spec yet


def test_looking_claims_nothing(tmp_path):
    run = Run(make_run(tmp_path / "a"))
    assert not run.is_running
    RunDirectory.open_for_resume(run.path).close()


@pytest.mark.parametrize(
    ("told", "state"), [("stopped", "stopped"), ("failed", "failed"), ("running", "killed"), ("odd", "interrupted")]
)
def test_its_manifest_knows_best(tmp_path, told, state):
    run = Run(make_run(tmp_path / "a", ended=False))
    (run.path / "run.json").write_text(json.dumps({"state": told, "attempts": []}))
    assert run.state == state


def test_one_that_was_killed_after_its_model_was_written_is_done(tmp_path):
    run = Run(make_run(tmp_path / "a"))
    (run.path / "run.json").write_text(json.dumps({"state": "running", "attempts": []}))
    assert run.state == "done"
    (run.model_path / "training_args.bin").unlink()
    assert Run(run.path).state == "killed"


def test_a_broken_manifest_is_none(tmp_path):
    run = Run(make_run(tmp_path / "a", ended=False))
    (run.path / "run.json").write_text("[")
    assert (run.manifest, run.state) == ({}, "interrupted")


def test_checkpoints_and_evaluations_are_in_order(tmp_path):
    run = Run(make_run(tmp_path / "a"))
    for name in ("checkpoint-10", "checkpoint-9", "dying-checkpoint-11", "checkpoint-12.part"):
        (run.checkpoints_path / name).mkdir(parents=True)
    assert [one.name for one in run.checkpoints] == ["checkpoint-9", "checkpoint-10"]
    assert run.evaluations == []
    for name in ("b", "a"):
        (run.evaluations_path / name).mkdir(parents=True)
        (run.evaluations_path / name / "evaluation.json").touch()
    (run.evaluations_path / "c").mkdir()
    assert [one.name for one in run.evaluations] == ["a", "b"]


def test_the_end_of_the_metrics_is_read_back_to_the_last_completions(tmp_path):
    run = Run(make_run(tmp_path / "a", steps=2000, of=2000))
    with run.metrics_path.open("a") as file:
        file.write('{"step": 2001, "cut')
    assert [(line["step"], line["kind"]) for line in run.last_metrics] == [(2000, "end"), (2000, "train")]
    assert Run(tmp_path / "none").last_metrics == []


def test_its_size_is_that_of_its_files(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a").write_bytes(b"123")
    (tmp_path / "deep" / "b").write_bytes(b"4567")
    assert Run(tmp_path).size() == 7


@pytest.mark.parametrize(("name", "fault"), [("none", "no run directory"), (".", "is no run directory")])
def test_what_is_no_run_is_told(tmp_path, name, fault):
    with pytest.raises(SpecError, match=fault):
        Run.find(tmp_path / name)
