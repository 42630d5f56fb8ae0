"""Where a run stopped, and the command that goes on with it."""

import pytest

from gpocli.runs.checkpoints import seal
from gpocli.runs.directory import RunDirectory
from gpocli.spec import RunSpec
from gpocli.training.stopped import way_on, where_it_stopped

SPEC = RunSpec.model_validate({"algorithm": {"type": "gmpo"}})


@pytest.fixture
def run(tmp_path):
    directory = RunDirectory.create(tmp_path / "my run")
    yield directory
    directory.close()


def again(run):
    return f"begin again with: gpo train gmpo --resume --out '{run.path}'"


def test_before_the_first_step_there_is_nothing_to_go_on_with(run):
    assert where_it_stopped(run, SPEC) == f"stopped before the first step; {again(run)}"
    assert way_on(run, SPEC) == ""


def test_steps_without_a_checkpoint_are_taken_again(run):
    run.append_metrics(1, "train", {"loss": 0.0})
    assert way_on(run, SPEC) == f"stopped before the first checkpoint; {again(run)}"


def test_the_last_whole_checkpoint_is_gone_on_from(run):
    for step in (2, 4):
        (run.checkpoints_path / f"checkpoint-{step}").mkdir()
    (run.checkpoints_path / "checkpoint-2" / "trainer_state.json").write_text("{}")
    seal(run.checkpoints_path / "checkpoint-2", layout={}, sources={})
    assert way_on(run, SPEC) == f"stopped at checkpoint-2; go on with: gpo train gmpo --resume --out '{run.path}'"
