"""The disk is asked for room before the first step."""

from types import SimpleNamespace

import pytest
import torch

from gpocli.errors import EnvironmentFault
from gpocli.training.room import Saved, require_room, saved_by


class PlainTrainer:
    """The part of a trainer that tells what will be saved: 1,000 weights of 4 bytes, of which 100 are trained."""

    def __init__(self, folder, *, adapter=False, optim="adamw_torch", keep=2, every=10, steps=100, whole=True):
        self.model = torch.nn.ParameterList([torch.zeros(100), torch.zeros(900)])
        self.model[1].requires_grad_(False)
        if adapter:
            self.model.peft_config = {}
        self.accelerator = SimpleNamespace(unwrap_model=lambda model: model)
        self.args = SimpleNamespace(
            optim=SimpleNamespace(value=optim), save_only_model=not whole, save_steps=every, save_total_limit=keep,
            max_steps=steps, output_dir=str(folder),
        )  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "saved"),
    [
        ({}, Saved(4000, 4800, 3)),  # and two states of 100 weights of 4 bytes
        ({"adapter": True}, Saved(400, 1200, 3)),
        ({"optim": "sgd"}, Saved(4000, 4000, 3)),
        ({"optim": "lion_32bit"}, Saved(4000, 4400, 3)),
        ({"whole": False}, Saved(4000, 4000, 3)),
        ({"every": 60}, Saved(4000, 4800, 2)),
        ({"every": 10**9}, Saved(4000, 4800, 1)),
        ({"keep": None}, Saved(4000, 4800, 10)),
        ({"keep": None, "steps": -1}, Saved(4000, 4800, 1)),
    ],
)
def test_what_a_run_saves_follows_from_its_weights(tmp_path, settings, saved):
    assert saved_by(PlainTrainer(tmp_path, **settings)) == saved


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """`ask(free, checkpoints there)`: what is noted before the first step."""
    monkeypatch.setattr("gpocli.trainers.gathering.spread_by", lambda trainer: None)

    def ask(free, there=0):
        for number in range(there):
            (tmp_path / f"checkpoint-{number}").mkdir()
        monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=free))
        notes = []
        require_room(PlainTrainer(tmp_path), tmp_path, notes.append)
        return notes

    return ask


def test_a_run_that_could_not_save_anything_is_refused(ask, tmp_path):
    with pytest.raises(EnvironmentFault) as error:
        ask(8799)
    assert str(error.value) == (
        f"the disk of '{tmp_path}' has 8.6 KiB free, and a checkpoint and the model take about 8.6 KiB; free some, "
        "lower run.keep_checkpoints, or name another disk with --out"
    )


def test_one_that_cannot_save_all_is_warned(ask, tmp_path):
    assert ask(18_399) == [
        f"the disk of '{tmp_path}' has 18.0 KiB free, and 3 checkpoints and the model take about 18.0 KiB; free some, "
        "lower run.keep_checkpoints, or name another disk with --out"
    ]
    assert ask(18_400) == []


def test_what_a_resumed_run_has_saved_needs_no_more_room(ask):
    assert ask(8800, there=2) == []
    assert len(ask(8799)) == 1  # not refused: it may go on to its end with what is there
