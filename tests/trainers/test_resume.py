"""A run of six steps equals one that was stopped anywhere and resumed: weights, figures and records, to the bit."""

import json
import shutil
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import pytest
import torch
from datasets import IterableDataset
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback

from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer
from tests.trainers.conftest import BASE, length_filter, prompts

STEPS = 6


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


def count_letters_of_odd_numbers(completions, number, **kwargs):
    return [n % 2 * letters for n, letters in zip(number, count_letters(completions), strict=True)]


class Thrifty:
    """Keeps one less of each group from the second batch on."""

    def __init__(self):
        self.batches = 0

    def __call__(self, group_completions, group_rewards):
        return group_rewards

    def keep_counts(self, keep, group_rewards):
        self.batches += 1
        return [keep if self.batches < 2 else keep - 1 for _ in group_rewards]

    def state_dict(self):
        return {"batches": self.batches}

    def load_state_dict(self, state):
        self.batches = state["batches"]


class Short:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-float(length) for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + 1.0)


FILTERS = {"none": lambda: None, "short": Short, "any": lambda: length_filter, "adaptive": Thrifty}


@dataclass(frozen=True)
class Run:
    """What is drawn: the steps of a generation batch are `updates` x `iterations`, an epoch has `rows` prompts."""

    stop: int = 3
    steps: int = STEPS
    algorithm: str = "gfpo"
    filter: str = "short"
    updates: int = 1
    iterations: int = 1
    accumulation: int = 1
    eval_every: int | None = None
    eval_on_start: bool = False
    log_every: int = 1
    dropout: bool = False
    streaming: bool = False
    rows: int = 8
    lora: bool = False
    synced_reference: bool = False
    engine: str = "auto"
    loss: str = "grpo"
    flat_groups: str = "train"


class StopAfter(TrainerCallback):
    """Ends training after a step with a checkpoint, as Ctrl-C does."""

    def __init__(self, step):
        self.step = step

    def on_step_end(self, args, state, control, **kwargs):
        control.should_save = control.should_training_stop = state.global_step == self.step


@cache
def tokenizer_of(model: str) -> Any:
    return AutoTokenizer.from_pretrained(model, truncation_side="left", padding_side="left")


def trainer_of(run: Run, folder: Any, model: str) -> GFPOTrainer:
    is_gmpo, keeps_all = run.algorithm == "gmpo", run.filter == "none"
    trainer_class, config_class = (GMPOTrainer, GMPOConfig) if is_gmpo else (GFPOTrainer, GFPOConfig)
    options: dict[str, Any] = {
        "max_steps": run.steps,
        "num_remains_in_group": None if keeps_all else 2,
        "gradient_accumulation_steps": run.accumulation,
        "steps_per_generation": run.accumulation * run.updates,
        "num_iterations": run.iterations,
        "logging_steps": run.log_every,
        "rollout": run.engine,
        "eval_strategy": "no" if run.eval_every is None else "steps",
        "eval_steps": run.eval_every,
        "eval_on_start": run.eval_on_start and run.eval_every is not None,
        "num_generations_eval": 1,
        "whole_every": 2,  # so that batches with and without a race come after the stop
        "disable_dropout": not run.dropout,
        "flat_groups": run.flat_groups,
    }
    if not is_gmpo:
        options["loss_type"] = run.loss
    if run.synced_reference and not run.lora:
        options |= {"beta": 0.1, "sync_ref_model": True, "ref_model_sync_steps": 2, "ref_model_mixup_alpha": 0.5}
    policy = AutoModelForCausalLM.from_pretrained(model, attention_dropout=0.2 if run.dropout else 0.0)
    data = prompts(run.rows)
    if run.streaming:
        rows = data.to_list()
        data = IterableDataset.from_generator(lambda: (row for _ in range(99) for row in rows))
    return trainer_class(
        model=policy,
        reward_funcs=count_letters if run.flat_groups == "train" else count_letters_of_odd_numbers,
        args=config_class(output_dir=str(folder), **(BASE | options)),
        train_dataset=data,
        eval_dataset=prompts(3),
        processing_class=tokenizer_of(model),
        group_filter_func=FILTERS[run.filter](),
        peft_config=LoraConfig(r=2, target_modules=["q_proj"], lora_dropout=0.2 if run.dropout else 0.0)
        if run.lora
        else None,
    )


@dataclass
class Left:
    """What a run leaves, timings left out."""

    weights: dict[str, torch.Tensor]
    log: list[str]
    records: list[str]


TIMES = ("time/", "step_time", "tokens_per_second", "runtime", "per_second")


def train(trainer: GFPOTrainer, checkpoint: str | None = None) -> Left:
    records: list[Any] = []
    trainer.on_candidates = records.extend
    trainer.train(resume_from_checkpoint=checkpoint)
    weights = {name: value.detach().clone() for name, value in trainer.model.state_dict().items()}
    logs = [
        {name: value for name, value in entry.items() if not any(word in name for word in TIMES)}
        for entry in trainer.state.log_history
    ]
    return Left(
        weights,
        [json.dumps(entry, sort_keys=True) for entry in logs],
        [json.dumps(asdict(record)) for record in records],
    )


def check(run: Run, folder: Any, model: str) -> None:
    """Train six steps at once, and with a stop between, and compare all that is left."""
    shutil.rmtree(folder, ignore_errors=True)
    straight = train(trainer_of(run, folder / "straight", model))
    first = trainer_of(run, folder / "resumed", model)
    first.add_callback(StopAfter(run.stop))
    before = train(first)
    after = train(trainer_of(run, folder / "resumed", model), str(folder / "resumed" / f"checkpoint-{run.stop}"))
    assert before.records + after.records == straight.records
    assert after.log == straight.log
    assert all(torch.equal(after.weights[name], value) for name, value in straight.weights.items())


def with_enough_rows(run: Run) -> Run:
    """An epoch must have the prompts of a generation batch, and streamed data has no next prompt to refill with."""
    kept = 4 if run.filter == "none" else 2
    flat_groups = "skip" if run.streaming and run.flat_groups == "refill" else run.flat_groups
    return replace(run, rows=max(run.rows, 4 * run.accumulation * run.updates // kept), flat_groups=flat_groups)


RUNS = st.builds(
    Run,
    stop=st.integers(1, STEPS - 1),
    algorithm=st.sampled_from(["gfpo", "gmpo"]),
    filter=st.sampled_from(list(FILTERS)),
    updates=st.sampled_from([1, 2, 3]),
    iterations=st.sampled_from([1, 2]),
    accumulation=st.sampled_from([1, 2]),
    eval_every=st.sampled_from([None, 1, 2, 3]),
    eval_on_start=st.booleans(),
    log_every=st.sampled_from([1, 2, 4]),
    dropout=st.booleans(),
    streaming=st.booleans(),
    rows=st.sampled_from([4, 8, 9]),
    lora=st.booleans(),
    synced_reference=st.booleans(),
    engine=st.sampled_from(["auto", "generate"]),
    loss=st.sampled_from(["grpo", "dapo", "cispo"]),
    flat_groups=st.sampled_from(["train", "skip", "refill"]),
).map(with_enough_rows)
DRAWN = settings(max_examples=40, suppress_health_check=list(HealthCheck), derandomize=True, database=None)

KINDS = {
    "evaluated between two logs": Run(
        steps=4, eval_every=1, eval_on_start=True, dropout=True, log_every=2, synced_reference=True,
    ),
    "by TRL's path": Run(steps=4, filter="any", engine="generate", eval_every=2, stop=2),
    "streamed": Run(filter="none", streaming=True, updates=3, accumulation=2, log_every=2, stop=5),
    "refilled": Run(filter="any", rows=9, flat_groups="refill", updates=2, stop=3),
    "much at once": Run(
        algorithm="gmpo", filter="adaptive", updates=2, iterations=2, accumulation=2, eval_every=2, eval_on_start=True,
        log_every=4, dropout=True, lora=True, rows=9, stop=3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("run", KINDS.values(), ids=KINDS)
def test_three_and_three_are_six(run, tiny_model, tmp_path):
    check(run, tmp_path, tiny_model)


@pytest.mark.parametrize("engine", ["auto", "generate"])
def test_evaluation_leaves_no_trace_in_training(tiny_model, tmp_path, engine):
    run = Run(steps=3, engine=engine, dropout=True, log_every=9)
    never = train(trainer_of(run, tmp_path, tiny_model))
    often = train(trainer_of(replace(run, eval_every=1, eval_on_start=True), tmp_path, tiny_model))
    assert never.records == often.records
    assert never.log == [line for line in often.log if "eval_" not in line]
    assert all(torch.equal(often.weights[name], value) for name, value in never.weights.items())


def test_the_saved_model_loads(tiny_model, tmp_path):
    trainer = trainer_of(Run(steps=1), tmp_path, tiny_model)
    weights = train(trainer).weights
    trainer.save_model(str(tmp_path / "final"))
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path / "final").state_dict()
    assert all(torch.equal(loaded[name], value) for name, value in weights.items())


@pytest.mark.slow
@DRAWN
@given(run=RUNS)
def test_a_stop_anywhere_changes_nothing(run, tiny_model, tmp_path_factory):
    check(run, tmp_path_factory.mktemp("run"), tiny_model)
