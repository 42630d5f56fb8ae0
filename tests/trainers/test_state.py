"""What a checkpoint holds besides transformers' and TRL's own files."""

import pytest
import torch

from gpocli.trainers.state import has_state, layout_of, load_state, save_state


def open_window(gfpo, **options):
    """A trainer after the first of two updates on a generation batch."""
    trainer = gfpo(max_steps=1, steps_per_generation=4, logging_steps=5, **options)
    trainer.train()
    return trainer


def test_a_state_is_found_again_by_another_trainer(gfpo, tmp_path):
    first = open_window(gfpo)
    first._metrics["train"]["entropy"] = [1.5, float("nan")]
    save_state(first, tmp_path)
    other = gfpo(steps_per_generation=4)
    state = load_state(other, tmp_path)
    assert other._step == 2
    assert len(other._buffered_inputs) == 4
    saved, found = first._buffered_inputs[3], other._buffered_inputs[3]
    assert all(torch.equal(found[name], value) for name, value in saved.items() if torch.is_tensor(value))
    assert str(other._metrics["train"]["entropy"]) == "[1.5, nan]"
    assert (state.last_log, state.logged_loss) == (0, pytest.approx(0, abs=1e-6))
    assert state.seconds > 0


def test_a_generation_batch_that_is_used_up_is_not_kept(gfpo, tmp_path):
    trainer = gfpo(max_steps=1)
    trainer.train()
    save_state(trainer, tmp_path)
    assert load_state(gfpo(), tmp_path).micro_batches is None


def test_a_reference_model_that_follows_the_policy_is_kept(gfpo, tmp_path):
    options = {"beta": 0.1, "sync_ref_model": True, "ref_model_sync_steps": 1, "ref_model_mixup_alpha": 0.5}
    first, other = open_window(gfpo, **options), gfpo(steps_per_generation=4, **options)
    name, moved = next(iter(first.ref_model.named_parameters()))
    assert not torch.equal(moved, other.ref_model.get_parameter(name))
    save_state(first, tmp_path)
    load_state(other, tmp_path)
    assert torch.equal(moved, other.ref_model.get_parameter(name))


def test_a_checkpoint_of_trl_has_none(gfpo, tmp_path):
    assert not has_state(tmp_path)
    assert load_state(gfpo(), tmp_path) is None


def test_a_layout_is_processes_and_sizes(gfpo):
    assert layout_of(gfpo(num_iterations=2)) == {
        "processes": 1,
        "per_device_train_batch_size": 4,
        "gradient_accumulation_steps": 2,
        "steps_per_generation": 2,
        "num_iterations": 2,
        "num_generations": 4,
        "num_remains_in_group": 2,
    }
