"""Two processes do what one does: the same groups, rewards, kept rows, advantages, updates and weights."""

import json
import math
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.cli.command import Folder, environments
from tests.trainers.closeness import SAME, gap

SCRIPT = Path(__file__).parent / "run_layout.py"
TWO_OF_FOUR = {"num_generations": 4, "num_remains_in_group": 2}
THINNED = {"num_generations": 4, "num_remains_in_group": 4, "filter": "thinned"}
GSPO = {"importance_sampling_level": "sequence", "loss_type": "grpo", "epsilon": 3e-4, "epsilon_high": 4e-4}

RUNS = {
    "race": {"filter": "race", **TWO_OF_FOUR},
    "adaptive": {"filter": "adaptive", "divisor": "group", **TWO_OF_FOUR},
    "gmpo": {"gmpo": True, "num_generations": 4, "updates": 2},
    "grpo": {"loss_type": "grpo", "updates": 2, "beta": 0.1, **THINNED},
    "bnpo": {"loss_type": "bnpo", "entropy_coef": 0.1, "micro_batch": 2, **THINNED},
}
SLOW_RUNS = {
    "random": {"filter": "random", **TWO_OF_FOUR},
    "race-of-rewards": {"filter": "correct", "max_completion_length": 40, "whole_every": 0, **TWO_OF_FOUR},
    "rewards": {"filter": "rewards", "scale_rewards": "batch", **TWO_OF_FOUR},
    "gmpo-twice": {"gmpo": True, "num_generations": 4, "num_iterations": 2},
    "gspo": {**GSPO, "updates": 2, "micro_batch": 2, "filter": "race", **TWO_OF_FOUR},
    "dr_grpo": {"loss_type": "dr_grpo", "updates": 2, "num_iterations": 2, **THINNED},
    "silent": {"odd": True, "updates": 2, "micro_batch": 2, "loss_type": "grpo", "num_generations": 4},
    "silent-bnpo": {"odd": True, "micro_batch": 4, "loss_type": "bnpo", "num_generations": 4},
    "dapo": {"entropy_coef": 0.1, "updates": 2, "micro_batch": 1, **THINNED},
    "skip": {"odd": True, "flat_groups": "skip", "beta": 0.1, "micro_batch": 2, "updates": 2, "num_generations": 4},
}
REFILL = {"odd": True, "flat_groups": "refill", "num_generations": 4, "beta": 0.1}


OF_THE_MACHINE = ("time/", "step_time", "tokens_per_second", "train_", "sampling/")
"""Figures that differ with the number of processes: times, and comparisons of some rows of each process."""


def trained(model, out, processes, runs):
    """Where the runs, trained one after another, left what happened."""
    folder = Folder(out, out.with_name(f"{out.name}-streams"))
    started = [
        folder.start_script(SCRIPT, model, out, json.dumps(runs), **given)
        for given in (environments(processes) if processes > 1 else [{}])
    ]
    for done in [running.outcome() for running in started]:
        assert done.code == 0, done.stderr[-3000:]
    return out


def in_layouts(model, factory, runs):
    return [trained(model, factory.mktemp("layouts") / "runs", processes, runs) for processes in (1, 2)]


@pytest.fixture(scope="module")
def layouts(tiny_model, tmp_path_factory):
    return in_layouts(tiny_model, tmp_path_factory, RUNS)


@pytest.fixture(scope="module")
def slow_layouts(tiny_model, tmp_path_factory):
    return in_layouts(tiny_model, tmp_path_factory, SLOW_RUNS)


def flat(weights):
    return torch.cat([weights[name].flatten() for name in sorted(weights)])


def place(record):
    return record["step"], record["group"], record["candidate"]


def assert_same(model, one, two):
    records_one, records_two = [json.loads((folder / "records.json").read_text()) for folder in (one, two)]
    assert [place(record) for record in records_one] == sorted(place(record) for record in records_two)
    assert [record["group"] for record in records_one[:8]] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert any(record["kept"] for record in records_one)
    for first, second in zip(records_one, sorted(records_two, key=place), strict=True):
        advantages = first.pop("advantage"), second.pop("advantage")
        assert first == second
        assert advantages[0] == pytest.approx(advantages[1], abs=1e-5)
    logs = [json.loads((folder / "log.json").read_text()) for folder in (one, two)]
    assert [entry.keys() for entry in logs[0]] == [entry.keys() for entry in logs[1]]
    for key in {key for entry in logs[0] for key in entry if not key.startswith(OF_THE_MACHINE)}:
        logged = [[math.nan if entry[key] is None else entry[key] for entry in log if key in entry] for log in logs]
        assert logged[0] == pytest.approx(logged[1], rel=SAME, abs=1e-5, nan_ok=True), key
    weights_one, weights_two = [torch.load(folder / "weights.pt") for folder in (one, two)]
    start = AutoModelForCausalLM.from_pretrained(model)
    assert gap(flat(weights_two), flat(weights_one), flat(start.state_dict())) < SAME


@pytest.mark.parametrize("run", RUNS)
def test_two_processes_equal_one(tiny_model, layouts, run):
    assert_same(tiny_model, *[folder / run for folder in layouts])


@pytest.mark.slow
@pytest.mark.parametrize("run", SLOW_RUNS)
def test_two_processes_equal_one_in_other_runs(tiny_model, slow_layouts, run):
    assert_same(tiny_model, *[folder / run for folder in slow_layouts])


@pytest.mark.slow
def test_two_processes_equal_one_with_learned_positions(learned_positions, tmp_path_factory):
    # Prompts are as long as the longest of their process before they move.
    folders = in_layouts(learned_positions, tmp_path_factory, {"gmpo": RUNS["gmpo"]})
    assert_same(learned_positions, *[folder / "gmpo" for folder in folders])


@pytest.mark.slow
def test_a_reward_that_is_flat_in_each_group_gives_no_advantage_in_any_layout(tiny_model, tmp_path):
    options = {"flat": True, "num_generations": 4, "num_generations_eval": 1}
    for processes, batches in ((1, (8,)), (2, (4, 2))):
        runs = {str(batch): options | {"micro_batch": batch} for batch in batches}
        for folder in trained(tiny_model, tmp_path / str(processes), processes, runs).iterdir():
            records = json.loads((folder / "records.json").read_text())
            assert all(abs(record["advantage"]) < 1e-6 for record in records)
            # Five prompts do not divide by two processes: those that fill up the last batch are not counted twice.
            evaluation = json.loads((folder / "evaluation.json").read_text())
            assert evaluation["eval_reward"] == pytest.approx(2.0)


@pytest.mark.slow
def test_each_process_fills_its_own_places(tiny_model, tmp_path):
    folder = trained(tiny_model, tmp_path / "refill", 2, {"refill": REFILL}) / "refill"
    records = json.loads((folder / "records.json").read_text())
    for step in (1, 2):
        of_step = [record for record in records if record["step"] == step]
        groups = [[one for one in of_step if one["group"] == number] for number in range(len(of_step) // 4)]
        outcomes = ["".join({one["outcome"] for one in group}) for group in groups]
        signal = [len({one["reward"] for one in group}) > 1 for group in groups]
        half = len(groups) // 2
        for place in (slice(half), slice(half, None)):  # those of the first process, those of the other one
            assert outcomes[place].count("kept") == 1
            assert outcomes[place].index("kept") == signal[place].index(True)
        assert [outcome == "flat" for outcome in outcomes] == [not one for one in signal]
    assert len({one["prompt"] for one in records}) == len(records) // 4  # no prompt twice in an epoch
