"""A trainer's checkpoints are whole or not there."""

import errno
import logging
import os

import pytest

from gpocli import GFPOTrainer
from gpocli.errors import EnvironmentFault, SpecError
from gpocli.runs.checkpoints import damage, read_manifest

SAVING = {"max_steps": 2, "save_strategy": "steps", "save_steps": 1, "save_total_limit": 1}


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir())


def test_a_checkpoint_is_sealed_before_the_older_one_goes(gfpo, tmp_path, monkeypatch):
    sealed = []

    def rotate(folder, limit, *args, **kwargs):
        sealed.append((limit, damage(tmp_path / "out" / f"checkpoint-{len(sealed) + 1}")))

    monkeypatch.setattr("gpocli.trainers.checkpoints.rotate_checkpoints", rotate)
    trainer = gfpo(**SAVING)
    trainer.sources = {"reward 'mine'": "abc"}
    trainer.train()
    assert sealed == [(1, None), (1, None)]
    assert trainer.args.save_total_limit == 1
    last = tmp_path / "out" / "checkpoint-2"
    manifest = read_manifest(last)
    assert manifest["sources"] == {"reward 'mine'": "abc"}
    assert manifest["files"].keys() | {"manifest.json"} == {file.name for file in last.iterdir()}


def test_as_many_checkpoints_are_kept_as_the_limit_says(gfpo, tmp_path):
    gfpo(**SAVING).train()
    assert names_in(tmp_path / "out") == ["checkpoint-2"]


def test_what_an_earlier_attempt_left_is_no_part_of_a_checkpoint(gfpo, tmp_path):
    left = tmp_path / "out" / "checkpoint-2" / "run_state_7.pt"
    left.parent.mkdir(parents=True)
    left.touch()
    gfpo(**SAVING).train()
    assert not left.exists()
    assert damage(left.parent) is None


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device"),
        (RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 576 vs 534"), "the disk is full, or"),
    ],
)
def test_a_checkpoint_that_cannot_be_written_is_told_and_removed(gfpo, tmp_path, monkeypatch, fault, reason):
    trainer = gfpo(**SAVING)
    save = trainer._save_rng_state

    def save_once(folder):
        if trainer.state.global_step == 2:
            raise fault
        save(folder)

    monkeypatch.setattr(trainer, "_save_rng_state", save_once)
    with pytest.raises(EnvironmentFault) as error:
        trainer.train()
    folder = tmp_path / "out" / "checkpoint-2"
    assert str(error.value).startswith(f"cannot save '{folder}' ({reason}")
    assert names_in(tmp_path / "out") == ["checkpoint-1"]
    assert damage(tmp_path / "out" / "checkpoint-1") is None


def test_a_fault_of_another_kind_keeps_its_traceback(gfpo, monkeypatch):
    trainer = gfpo(**SAVING)
    monkeypatch.setattr(trainer, "_save_rng_state", lambda folder: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        trainer.train()


@pytest.fixture
def saved(gfpo, tmp_path):
    """The folder of a run of two steps with a checkpoint of each."""
    gfpo(**{**SAVING, "save_total_limit": None}).train()
    return tmp_path / "out"


def resume(gfpo, checkpoint, **options) -> GFPOTrainer:
    trainer = gfpo(**{**SAVING, "max_steps": 3, **options})
    trainer.train(resume_from_checkpoint=checkpoint)
    return trainer


def test_true_stands_for_the_last_whole_checkpoint_and_the_damage_is_told(gfpo, saved, caplog):
    os.truncate(saved / "checkpoint-2" / "optimizer.pt", 100)
    with caplog.at_level(logging.WARNING, "gpocli"):
        trainer = resume(gfpo, True)
    assert [entry["step"] for entry in trainer.state.log_history if "loss" in entry] == [1, 2, 3]
    (told,) = [record.getMessage() for record in caplog.records if record.name == "gpocli"]
    assert told.startswith(f"'{saved / 'checkpoint-2'}' is damaged (optimizer.pt has 100 bytes, not ")


def test_a_damaged_checkpoint_that_is_named_is_refused(gfpo, saved):
    (saved / "checkpoint-2" / "rng_state.pth").unlink()
    with pytest.raises(SpecError) as error:
        resume(gfpo, str(saved / "checkpoint-2"))
    assert str(error.value) == (
        f"'{saved / 'checkpoint-2'}' is damaged (rng_state.pth is missing); resume from another"
    )


def test_a_folder_without_a_whole_checkpoint_is_named(gfpo, tmp_path):
    with pytest.raises(SpecError, match="out' has no whole checkpoint to resume from; train without resuming"):
        resume(gfpo, True)


def test_another_layout_is_refused(gfpo, saved):
    with pytest.raises(SpecError) as error:
        resume(gfpo, str(saved / "checkpoint-1"), gradient_accumulation_steps=4)
    assert str(error.value) == (
        f"'{saved / 'checkpoint-1'}' was saved with gradient_accumulation_steps 2, steps_per_generation 2 and cannot "
        "go on with gradient_accumulation_steps 4, steps_per_generation 4; resume with what it was, or start anew from "
        f"its weights with '{saved / 'checkpoint-1'}' as the model"
    )


def test_a_checkpoint_of_weights_alone_is_not_sealed(gfpo, tmp_path):
    gfpo(**SAVING, save_only_model=True).train()
    assert damage(tmp_path / "out" / "checkpoint-2") == "manifest.json is missing"
