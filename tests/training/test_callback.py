"""Progress and metrics as a real GRPO trainer feeds them."""

import io
import math

import pytest
import torch
from rich.console import Console
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, PrinterCallback, ProgressCallback, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer

from gpocli.data import gather
from gpocli.display.lines import PlainLines
from gpocli.runs.directory import RunDirectory
from gpocli.training.callback import ProgressLink, take_over_display
from gpocli.training.dataset import to_dataset

ANSWERS = ["007", 5, None, "null", "2024-05-01", [1], True, "1e3"]


def tiny_model():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config = Qwen3Config(
        vocab_size=16,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    words = Tokenizer(models.WordLevel({f"w{number}": number for number in range(16)}, unk_token="w2"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="w0", eos_token="w1", unk_token="w2")
    return Qwen3ForCausalLM(config), tokenizer


def trainer_for(run, reward, **options):
    model, tokenizer = tiny_model()
    config = GRPOConfig(
        output_dir=str(run.checkpoints_path),
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=4,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
        **{"logging_steps": 1, "save_strategy": "no", **options},
    )
    rows = gather("d.jsonl", [(line, {"prompt": "w3", "answer": answer}) for line, answer in enumerate(ANSWERS, 1)])
    return GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=reward,
        args=config,
        train_dataset=to_dataset(rows),
        eval_dataset=to_dataset(rows.select([0, 1])),
    )


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return RunDirectory.create(tmp_path / "run")


def follow(trainer, run):
    progress = PlainLines(Console(file=io.StringIO()))
    take_over_display(trainer, ProgressLink(progress, "grpo", run.append_metrics))
    trainer.train()
    return progress.console.file.getvalue().splitlines()


def test_a_trainer_feeds_progress_and_metrics_and_gets_the_very_rows(run):
    seen = []

    def reward(completions, answer, gpo_row, **kwargs):
        seen.extend(zip(gpo_row, answer, strict=True))
        return [float(number) for number in range(len(completions))]

    # Two steps on each generation batch: the second of each pair logs nothing about completions.
    trainer = trainer_for(run, reward, max_steps=4, steps_per_generation=2, eval_strategy="steps", eval_steps=4)
    shown = follow(trainer, run)

    assert {(line, str(answer)) for line, answer in seen} <= set(enumerate(map(str, ANSWERS), 1))
    assert not any(
        isinstance(callback, PrinterCallback | ProgressCallback) for callback in trainer.callback_handler.callbacks
    )
    assert shown[0] == "grpo: 4 steps"
    assert [line[:10] for line in shown[1:]] == ["step 1/4  ", "step 2/4  ", "step 3/4  ", "step 4/4  ", "eval after"]
    assert "no new generation" in shown[2]
    assert "no new generation" not in shown[3]
    lines = run.read_metrics()
    assert [(line["step"], line["kind"]) for line in lines] == [
        (1, "train"),
        (2, "train"),
        (3, "train"),
        (4, "train"),
        (4, "eval"),
        (4, "end"),
    ]
    assert [line.get("new_generation") for line in lines[:4]] == [None, False, None, False]


def test_rewards_that_never_apply_break_nothing(run):
    def reward(completions, **kwargs):
        return [None] * len(completions)

    shown = follow(trainer_for(run, reward, max_steps=2, logging_steps=2), run)
    assert "NaN" not in run.metrics_path.read_text()
    assert all(math.isfinite(line["step"]) for line in run.read_metrics())
    assert len(shown) == 2


def test_the_last_step_is_logged_whatever_stands_between_lines(run):
    def reward(completions, **kwargs):
        return [float(number) for number in range(len(completions))]

    follow(trainer_for(run, reward, max_steps=3, logging_steps=2), run)
    assert [(line["step"], line["kind"]) for line in run.read_metrics()] == [(2, "train"), (3, "train"), (3, "end")]


def test_other_processes_say_and_write_nothing(run):
    trainer = trainer_for(run, lambda completions, **_: [0.0] * len(completions), max_steps=1)
    trainer.is_world_process_zero = lambda: False
    assert follow(trainer, run) == []
    assert run.read_metrics() == []


def test_a_resumed_run_logs_every_step_once(run):
    def reward(completions, **kwargs):
        return [float(len(completion)) for completion in completions]

    saving = {"save_strategy": "steps", "save_steps": 2}
    follow(trainer_for(run, reward, max_steps=5, **saving), run)
    run.write_spec("")
    run.close()
    last = run.checkpoints_path / "checkpoint-4"

    resumed = RunDirectory.open_for_resume(run.path)
    resumed.rewind(4)
    progress = PlainLines(Console(file=io.StringIO()))
    trainer = trainer_for(resumed, reward, max_steps=6, **saving)
    take_over_display(trainer, ProgressLink(progress, "grpo", resumed.append_metrics))
    trainer.train(resume_from_checkpoint=str(last))

    lines = [line["step"] for line in resumed.read_metrics() if line["kind"] == "train"]
    assert lines == [1, 2, 3, 4, 5, 6]
    assert progress.console.file.getvalue().startswith("grpo: 6 steps, going on after step 4\nstep 5/6  ")
