"""Two processes do what one does: the same groups, rewards, kept rows, advantages and weights."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.trainers.closeness import SAME, gap

SCRIPT = Path(__file__).parent / "run_layout.py"


def train(model, out, processes, **options):
    out.mkdir()
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(processes)]
    command = [sys.executable, *(launcher if processes > 1 else []), str(SCRIPT), model, str(out), json.dumps(options)]
    environment = os.environ | {"PYTHONPATH": str(SCRIPT.parents[2]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return (
        json.loads((out / "records.json").read_text()),
        torch.load(out / "weights.pt"),
        json.loads((out / "log.json").read_text()),
    )


def flat(weights):
    return torch.cat([weights[name].flatten() for name in sorted(weights)])


@pytest.mark.parametrize(
    "options",
    [
        {"filter": "race", "num_generations": 4, "num_remains_in_group": 2},
        pytest.param(
            {"filter": "rewards", "num_generations": 4, "num_remains_in_group": 2, "scale_rewards": "batch"},
            marks=pytest.mark.slow,
        ),
        pytest.param(
            {"filter": "none", "num_generations": 4, "gmpo": True, "num_iterations": 2}, marks=pytest.mark.slow
        ),
    ],
    ids=["race", "rewards", "gmpo"],
)
def test_two_processes_equal_one(tiny_model, tmp_path, options):
    one, weights_one, log_one = train(tiny_model, tmp_path / "one", 1, per_device_train_batch_size=8, **options)
    two, weights_two, log_two = train(tiny_model, tmp_path / "two", 2, per_device_train_batch_size=4, **options)

    def place(record):
        return record["step"], record["group"], record["candidate"]

    assert [place(record) for record in one] == sorted(place(record) for record in two)
    assert [record["group"] for record in one[:8]] == [0, 0, 0, 0, 1, 1, 1, 1]
    for first, second in zip(one, sorted(two, key=place), strict=True):
        advantages = first.pop("advantage"), second.pop("advantage")
        assert first == second
        assert advantages[0] == pytest.approx(advantages[1], abs=1e-5)
    assert any(record["kept"] for record in one)
    start = AutoModelForCausalLM.from_pretrained(tiny_model)
    assert gap(flat(weights_two), flat(weights_one), flat(start.state_dict())) < SAME
    for key in ("reward", "kept/share", "kept/mean_length", "lost/share", "completions/clipped_ratio"):
        logged = [[entry[key] for entry in log if key in entry] for log in (log_one, log_two)]
        assert logged[0] == pytest.approx(logged[1], rel=SAME), key


@pytest.mark.slow
def test_a_reward_that_is_flat_in_each_group_gives_no_advantage_in_any_layout(tiny_model, tmp_path):
    options = {"filter": "none", "flat": True, "num_generations": 4, "num_generations_eval": 1}
    for processes, batch in ((1, 8), (2, 4), (2, 2)):
        folder = tmp_path / f"{processes}x{batch}"
        records, _, _ = train(tiny_model, folder, processes, per_device_train_batch_size=batch, **options)
        assert all(abs(record["advantage"]) < 1e-6 for record in records)
        # Five prompts do not divide by two processes: those that fill up the last batch are not counted twice.
        evaluation = json.loads((folder / "evaluation.json").read_text())
        assert evaluation["eval_reward"] == pytest.approx(2.0)
