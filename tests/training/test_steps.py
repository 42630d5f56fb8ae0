"""A trainer takes its steps and its model is saved; what stops it before is told apart."""

import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpocli.errors import EnvironmentFault, ServerFault
from gpocli.runs.activity import Activity
from gpocli.runs.directory import RunDirectory
from gpocli.trainers.stop import StopNow
from gpocli.training.claim import Claim
from gpocli.training.steps import train_and_save


class Toy:
    """As much of a trainer as steps are taken with; `ends` is what its training raises."""

    def __init__(self, ends=None, reached=3):
        self.ends, self.saved = ends, 0
        self.accelerator = SimpleNamespace(is_main_process=True)
        self.args, self.activity = SimpleNamespace(max_steps=3), Activity()
        self.state = SimpleNamespace(global_step=reached, max_steps=3)
        self.stop = SimpleNamespace(save=self.count)
        self._processes = SimpleNamespace(objects=lambda items: items)

    def count(self):
        self.saved += 1

    def train(self, resume_from_checkpoint):
        if self.ends is not None:
            raise self.ends

    def save_model(self, folder):
        Path(folder).mkdir()


@pytest.fixture
def run(tmp_path):
    directory = RunDirectory.create(tmp_path / "run")
    yield directory
    directory.close()


def taken(run, trainer, received=None):
    watched = SimpleNamespace(end_if_dying=lambda: None)
    return train_and_save(trainer, Claim(run), SimpleNamespace(received=received), watched)


def test_at_its_end_the_model_is_saved(run):
    assert taken(run, Toy()) is None
    assert run.model_path.is_dir()


def test_a_signal_after_the_last_step_stops_nothing(run):
    assert taken(run, Toy(), signal.SIGTERM) is None
    assert run.model_path.is_dir()


def test_a_signal_after_another_step_leaves_no_model(run):
    assert taken(run, Toy(reached=2), signal.SIGTERM) == signal.SIGTERM
    assert not run.model_path.exists()


def test_a_stop_within_a_step_saves_the_step_before(run):
    trainer = Toy(StopNow(signal.SIGINT))
    assert (taken(run, trainer), trainer.saved) == (signal.SIGINT, 1)


def test_so_does_a_server_that_is_lost(run):
    trainer = Toy(ServerFault("it is gone"))
    with pytest.raises(ServerFault, match="it is gone"):
        taken(run, trainer)
    assert trainer.saved == 1


def test_what_cannot_be_saved_in_a_directory_that_is_gone_is_told_as_that(run):
    trainer = Toy(EnvironmentFault("cannot save"))
    (run.path / "run.lock").unlink()
    with pytest.raises(EnvironmentFault, match="was removed while the run was under way"):
        taken(run, trainer)
