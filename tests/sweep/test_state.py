"""Where a run of a sweep is, and its command."""

import json

import pytest

from gpocli.runs.checkpoints import seal
from gpocli.spec.dump import dump_spec
from gpocli.sweep.state import command_of, set_aside, state_of


@pytest.fixture
def planned(plan):
    return plan("optim.learning_rate=1e-6")[0]


def begin(planned, *lines):
    """Leave what a run leaves that has logged these lines."""
    planned.run.path.mkdir(parents=True)
    planned.run.spec_path.write_text(dump_spec(planned.spec))
    planned.run.metrics_path.write_text("".join(json.dumps(line) + "\n" for line in lines))


STEP = {"step": 1, "kind": "train", "reward": 0.5}
END = {"step": 2, "kind": "end", "train_runtime": 1.0}


def test_a_run_that_is_not_there_is_started(planned):
    assert state_of(planned) == "new"
    assert str(command_of(planned, "new")) == "gpo train gfpo sweeps/s/specs/learning_rate-1e-6.yaml"


def test_a_run_before_its_first_step_and_one_with_a_checkpoint_are_resumed(planned):
    begin(planned)
    assert state_of(planned) == "begun"
    planned.run.metrics_path.write_text(json.dumps(STEP) + "\n")
    checkpoint = planned.run.checkpoints_path / "checkpoint-1"
    checkpoint.mkdir(parents=True)
    seal(checkpoint, layout={}, sources={})
    assert state_of(planned) == "begun"
    assert str(command_of(planned, "begun")) == "gpo train gfpo --resume --out sweeps/s/learning_rate-1e-6"


def test_a_run_without_a_checkpoint_begins_anew_beside_what_it_left(planned):
    begin(planned, STEP)
    assert state_of(planned) == "lost"
    assert set_aside(planned).name == "learning_rate-1e-6.lost-1"
    assert state_of(planned) == "new"
    begin(planned, STEP)
    assert set_aside(planned).name == "learning_rate-1e-6.lost-2"


def test_a_run_with_its_model_is_done(planned):
    begin(planned, STEP, END)
    assert state_of(planned) == "lost"
    planned.run.model_path.mkdir()
    (planned.run.model_path / "training_args.bin").touch()
    assert state_of(planned) == "done"
