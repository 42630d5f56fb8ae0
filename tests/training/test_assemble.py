"""The trainer of a run is the one that its spec describes."""

import shutil

import pytest
from safetensors.torch import load_file, save_file

from gpocli.checks.preflight import check_run
from gpocli.errors import SpecError
from gpocli.spec.sources import SpecSources, load_run_spec
from gpocli.training.assemble import assemble

SMALL = (
    "batch.prompts_per_step=2", "algorithm.group_size=4", "algorithm.keep=2", "sampling.max_tokens=8",
    "data.source=a.jsonl", "rewards=[think_format]", "run.steps=2",
    "batch.updates_per_generation=1",
)  # fmt: skip


@pytest.fixture
def build(tiny_model, tmp_path, monkeypatch):
    """The trainer for a spec on the tiny model and four rows, and what was noted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("".join(f'{{"prompt": "say {i}"}}\n' for i in range(4)))

    def assembled(*overrides):
        notes = []
        spec = load_run_spec(SpecSources(overrides=[f"model.name={tiny_model}", *SMALL, *overrides]))
        return assemble(check_run(spec), tmp_path / "out", note=notes.append), notes

    return assembled


def test_sizes_filters_and_rewards_are_those_of_the_spec(build):
    trainer, notes = build()
    assert (trainer.args.num_remains_in_group, trainer.args.max_steps) == (2, 2)
    assert trainer.args.per_device_train_batch_size * trainer.args.gradient_accumulation_steps == 4
    assert trainer.reward_func_names == ["think_format"]
    assert notes == []


@pytest.mark.parametrize(
    ("algorithm", "trainer_class"), [("gfpo", "GFPOTrainer"), ("gmpo", "GMPOTrainer"), ("gspo", "GroupTrainer")]
)
def test_the_trainer_is_that_of_the_algorithm(build, algorithm, trainer_class):
    trainer, _ = build(f"algorithm.type={algorithm}", "algorithm.filters=[length]")
    assert type(trainer).__name__ == trainer_class


def test_prompts_that_are_too_long_are_dropped_with_a_note(build, tmp_path):
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write(f'{{"prompt": "{"x" * 50}"}}\n')
    trainer, notes = build("data.max_prompt_tokens=10", "data.overlong=drop")
    assert len(trainer.train_dataset) == 4
    assert len(notes) == 1
    assert "10" in notes[0]


def test_what_trl_refuses_is_a_fault_of_the_spec(build):
    correction = ("trl.vllm_importance_sampling_mode=token_truncate", "trl.vllm_importance_sampling_clip_max=null")
    with pytest.raises(SpecError, match="TRL refuses the options of this run: At least one of"):
        build(*correction)


def test_the_config_that_is_saved_says_of_the_cache_what_the_model_said(build):
    assert build()[0].model.config.use_cache is True
    assert build("trl.use_cache=false")[0].model.config.use_cache is False


def test_weights_that_are_no_numbers_are_refused_by_name(build, tiny_model, tmp_path):
    folder = shutil.copytree(tiny_model, tmp_path / "nan")
    weights = load_file(folder / "model.safetensors")
    weights["model.norm.weight"][3] = float("nan")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(SpecError, match=r"'model\.norm\.weight'; its files are damaged"):
        build(f"model.name={folder}")
