"""The demo learns: twenty steps on the embedded model raise the training reward."""

import json
import statistics
import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_twenty_steps_raise_the_reward(tmp_path, seed):
    command = [sys.executable, "-m", "gpocli", "train", "gfpo", "--filter", "length", "--steps", "20"]
    subprocess.run([*command, "--seed", str(seed), "--out", "run"], cwd=tmp_path, check=True)
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    rewards = [line["reward"] for line in lines if line["kind"] == "train"]
    assert len(rewards) == 20
    assert statistics.mean(rewards[-5:]) > statistics.mean(rewards[:5]) + 0.05
