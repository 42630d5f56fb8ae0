"""Guards as a real trainer feeds them: what they see, how they stop it, and what is left of the run."""

import math

import pytest
import torch
from datasets import Dataset

from gpocli.contracts.guard import Alarm
from gpocli.contracts.guards import Guards, NamedGuard
from gpocli.errors import GuardError
from gpocli.plugin_manager import load_plugins
from gpocli.runs.directory import RunDirectory
from gpocli.runs.metrics import append_metrics, kind_of
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.trainer import GroupTrainer
from gpocli.training.guards import Watched, is_finite
from tests.training.test_callback import tiny_model

HOST = load_plugins(entry_points=False)
BUILTIN = [HOST.build_guard(name) for name in HOST.guards]


def by_length(completions, **_):
    return [float(len(text)) for text in completions]


def nothing(completions, **_):
    return [0.0] * len(completions)


def watched(folder, guards, *, reward=by_length, resume=None, **options):
    """A run with guards, which are shown what it logs: the callback, and the run directory."""
    model, tokenizer = tiny_model()
    directory = RunDirectory(folder)
    directory.checkpoints_path.mkdir(parents=True, exist_ok=True)
    options = {
        "max_steps": 4, "save_strategy": "no", "learning_rate": 1e-3, "logging_steps": 1, "num_generations": 2,
        "per_device_train_batch_size": 2, "max_completion_length": 4, "report_to": "none", "use_cpu": True,
        "bf16": False, "lr_scheduler_type": "constant", "num_iterations": 1, "disable_tqdm": True, **options,
    }  # fmt: skip
    args = GroupConfig(str(directory.checkpoints_path), **options)
    rows = Dataset.from_list([{"prompt": f"w{3 + n} w4"} for n in range(8)])
    trainer = GroupTrainer(model, reward, args, rows, processing_class=tokenizer)
    callback = Watched(trainer, Guards(guards), directory, "grpo")
    trainer.add_callback(callback)
    trainer.on_note = NOTES.append
    trainer.train(resume_from_checkpoint=resume)
    for line in trainer.state.log_history:
        if kind_of(line) == "train":
            append_metrics(directory.metrics_path, line["step"], "train", line)
    return callback, directory


NOTES = []


def at_step(number, action):
    """A guard that gives an alarm at one step."""
    seen = []

    def check(figures):
        seen.append(figures)
        return Alarm("x is 2, above 1", "lower x") if len(seen) == number else None

    return NamedGuard("made_up", check, action), seen


def ended(callback):
    with pytest.raises(GuardError) as stop:
        callback.end_if_dying()
    assert (stop.value.exit_code, "\n" in str(stop.value)) == (4, False)
    return str(stop.value)


def checkpoints(directory):
    return sorted(path.name for path in directory.checkpoints_path.iterdir() if "checkpoint-" in path.name)


def test_a_run_that_is_well_ends_as_without_guards(tmp_path):
    callback, _ = watched(tmp_path, BUILTIN)
    assert callback._trainer.state.global_step == 4
    callback.end_if_dying()


def test_a_guard_sees_the_figures_of_each_step_and_no_others(tmp_path):
    guard, seen = at_step(0, "stop")
    _, directory = watched(tmp_path, [guard])
    lines = directory.read_metrics()
    assert len(seen) == 4
    assert [set(one) - {"epoch"} for one in seen] == [set(line) - {"kind", "step", "time", "epoch"} for line in lines]


def test_a_stop_leaves_a_checkpoint_and_no_model(tmp_path):
    callback, directory = watched(tmp_path, [at_step(2, "stop")[0]])
    assert callback._trainer.state.global_step == 2
    assert ended(callback) == (
        f"guard 'made_up' at step 2: x is 2, above 1; lower x; stopped at checkpoint-2; to go on all the same: "
        f"gpo train grpo --resume --out {tmp_path} --set guards.made_up=off"
    )
    assert checkpoints(directory) == ["checkpoint-2"]
    assert directory.latest_checkpoint() is not None
    assert not directory.model_path.exists()


def test_a_warning_is_a_line_and_the_run_goes_on(tmp_path):
    NOTES.clear()
    callback, directory = watched(tmp_path, [at_step(2, "warn")[0]])
    assert callback._trainer.state.global_step == 4
    assert NOTES == ["guard 'made_up' at step 2: x is 2, above 1; lower x"]
    callback.end_if_dying()
    assert checkpoints(directory) == []


SAVING = {"save_strategy": "steps", "save_steps": 1, "max_steps": 5}


def test_a_restore_goes_back_to_the_last_good_checkpoint(tmp_path):
    guard = NamedGuard(
        "made_up", lambda figures: Alarm("x", "y", 2) if figures["epoch"] > 3.5 / 8 else None, "stop_and_restore"
    )
    callback, directory = watched(tmp_path, [guard], **SAVING)
    assert callback._trainer.state.global_step == 4  # step 3 was bad already: the alarm is of two lines
    text = ended(callback)
    assert "; stopped, and back at checkpoint-2, whose weights model/ has; to go on all the same: gpo train" in text
    assert checkpoints(directory) == ["checkpoint-1", "checkpoint-2", "dying-checkpoint-3"]
    assert directory.latest_checkpoint().name == "checkpoint-2"
    from safetensors.torch import load_file

    saved, good = (
        load_file(path / "model.safetensors")
        for path in (directory.model_path, directory.checkpoints_path / "checkpoint-2")
    )
    assert all(torch.equal(saved[name], good[name]) for name in good)


def test_weights_that_are_no_numbers_stop_the_run_before_they_are_saved(tmp_path):
    """The first update has a learning rate of 0, the second one of 1e39: 32 bits hold up to 3e38."""
    rates = {"learning_rate": 1e39, "lr_scheduler_type": "constant_with_warmup", "warmup_steps": 1}
    callback, directory = watched(tmp_path, BUILTIN, logging_steps=50, **SAVING, **rates)
    assert callback._trainer.state.global_step == 2
    assert "guard 'weights' at step 2: trained weights are NaN or infinite after the update; lower" in ended(callback)
    assert checkpoints(directory) == ["checkpoint-1"]
    assert all(part.isfinite().all() for part in torch.nn.Module.state_dict(callback._trainer.model).values())


def test_without_an_earlier_checkpoint_nothing_is_left(tmp_path):
    callback, directory = watched(tmp_path, [at_step(2, "stop_and_restore")[0]])
    assert ended(callback).endswith("no checkpoint is from before; write run.save_every to have some next time")
    assert checkpoints(directory) == []
    assert not directory.model_path.exists()


def test_a_resumed_run_remembers_the_steps_before(tmp_path):
    """Two flat steps, and one more after the resume, are three in a row."""
    no_signal = [HOST.build_guard("no_signal", {"window": 3})]
    _, directory = watched(tmp_path, no_signal, reward=nothing, **SAVING | {"max_steps": 2})
    last = directory.latest_checkpoint()
    no_signal = [HOST.build_guard("no_signal", {"window": 3})]
    callback, _ = watched(tmp_path, no_signal, reward=nothing, resume=str(last), **SAVING)
    assert callback._trainer.state.global_step == 3
    assert "so every advantage was 0, in 3 steps in a row" in ended(callback)


def test_trained_weights_alone_count():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    assert is_finite(model)
    for value in (math.nan, math.inf, -math.inf):
        broken = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
        with torch.no_grad():
            broken[1].weight[1, 0] = value
        assert not is_finite(broken)
        assert is_finite(broken.requires_grad_(False))


def test_weights_that_other_processes_have_do_not_count():
    model = torch.nn.Linear(2, 2)
    model.weight = torch.nn.Parameter(torch.empty(0))
    assert is_finite(model)
