"""GFPO with vLLM in the training process: one process, and two that share an engine by tensor parallelism."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vllm_here import EMBEDDED, gpo_environment

pytestmark = pytest.mark.vllm

RUN_LAYOUT = Path(__file__).parents[1] / "run_layout.py"
RUN = {
    "num_generations": 8,
    "num_remains_in_group": 4,
    "use_vllm": True,
    "vllm_mode": "colocate",
    "max_completion_length": 64,
    "whole_every": 0,
}


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    pytest.importorskip("vllm", reason="needs vLLM: make test-vllm")

    def run(processes=1, **options):
        _forget_ended_engines()
        out = tmp_path_factory.mktemp("vllm")
        launcher = [sys.executable]
        if processes > 1:
            launcher += ["-m", "torch.distributed.run", f"--nproc_per_node={processes}", "--standalone"]
        done = subprocess.run(
            [*launcher, str(RUN_LAYOUT), str(EMBEDDED), str(out), json.dumps({"run": RUN | options})],
            capture_output=True,
            text=True,
            env=gpo_environment(),
        )
        assert done.returncode == 0, done.stderr[-3000:]
        files = ("records", "log")
        return {name: json.loads((out / "run" / f"{name}.json").read_text()) for name in files}

    return run


def _forget_ended_engines():
    """vLLM for CPUs names the memory that ranks share alike in every run; a process that is ended leaves it behind."""
    for segment in Path("/dev/shm").glob("*-tp:*-cpushm_*"):
        segment.unlink()


@pytest.fixture(scope="module")
def raced(train):
    return train(filter="race")


def kept(run):
    return [(r["group"], r["completion"], r["reward"]) for r in run["records"] if r["outcome"] == "kept"]


def figures(run, name):
    return [line[name] for line in run["log"] if name in line]


def test_a_race_trains_on_what_full_generation_trains_on(train, raced):
    full = train(filter="rewards")

    assert {record["outcome"] for record in raced["records"]} == {"kept", "lost"}
    assert kept(raced) == kept(full)
    assert figures(raced, "loss") == pytest.approx(figures(full, "loss"), rel=1e-4, abs=1e-6)
    assert figures(raced, "grad_norm") == pytest.approx(figures(full, "grad_norm"), rel=1e-4)


def test_the_engine_has_the_weights_of_the_step(raced):
    # Of the second step too, after an update that moves log-probabilities by far more.
    differences = figures(raced, "sampling/sampling_logp_difference/max")
    assert len(differences) == 2
    assert max(differences) < 1e-3
    assert figures(raced, "sampling/logp_difference/max")[0] < 1e-3
    assert figures(raced, "sampling/importance_sampling_ratio/mean") == pytest.approx([1.0, 1.0], abs=1e-4)


def test_two_ranks_that_share_an_engine_decide_alike(train, raced):
    shared = train(processes=2, filter="race", vllm_tensor_parallel_size=2)

    assert kept(shared) == kept(raced)
    assert figures(shared, "loss") == pytest.approx(figures(raced, "loss"), rel=1e-4, abs=1e-6)


def test_the_adapter_alone_trains_as_all_weights_with_it_merged_do(train):
    whole = train(filter="race", lora=4)
    alone = train(filter="race", lora=4, vllm_sync="lora")

    assert kept(alone) == kept(whole)
    assert figures(alone, "loss") == pytest.approx(figures(whole, "loss"), rel=1e-3, abs=1e-5)
    # Compared after every sync, of which the second has an update before it.
    assert len(figures(alone, "sampling/sync_difference")) == 2
    assert max(figures(alone, "sampling/sync_difference")) < 2e-5
    assert max(figures(alone, "sampling/sampling_logp_difference/max")) < 1e-3
