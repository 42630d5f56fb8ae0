"""DeepSpeed's ZeRO trains as plain data parallelism does, with the same races, on CPUs of one machine."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from gpocli.runs.records import read_candidates
from tests.cli.conftest import checkpoints, metrics
from tests.cli.test_signals import start_two

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deepspeed,
    pytest.mark.skipif(importlib.util.find_spec("deepspeed") is None, reason="no DeepSpeed here; make test-deepspeed"),
    pytest.mark.skipif(shutil.which("c++") is None, reason="no compiler here, by which DeepSpeed makes its CPU part"),
]

EMBEDDED = (
    "train", "gfpo", "--filter", "length", "-G", 8, "-k", 4, "--prompts-per-step", 4, "--max-tokens", 64,
    "--lr", "0.001", "--steps", 4, "--reward", "./mine.py:odd_length", "--set", "algorithm.whole_every=0",
    "--set", "optim.schedule=constant",
)  # fmt: skip
LORA = ("--set", "model.lora.rank=4")


def zero(folder, stage):
    """A configuration of DeepSpeed, written as its users write it."""
    auto = dict.fromkeys(("train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "gradient_clipping"), "auto")
    (folder.path / f"zero{stage}.json").write_text(json.dumps({"zero_optimization": {"stage": stage}, **auto}))
    return "--set", f"trl.deepspeed=zero{stage}.json"


def trained(folder, name, *arguments, **environment):
    """The directory of a run of two processes, and what they said."""
    both = [running.outcome() for running in start_two(folder, *EMBEDDED, *arguments, "--out", name, **environment)]
    assert [(one.code, one.stderr) for one in both] == [(0, ""), (0, "")]
    return folder.path / name, both[0].stdout


@pytest.fixture(scope="module")
def of_two(make_folder):
    """A folder with a run of two processes, each with all weights, and one with an adapter."""
    folder = make_folder()
    trained(folder, "ddp")
    trained(folder, "ddp_lora", *LORA)
    return folder


def assert_alike(run: Path, other: Path, *, same_model=True):
    """The same candidates were drawn, kept and lost, and the same was learned."""
    kinds = ("step", "row", "completion", "tokens", "outcome", "kept")
    drawn, expected = (
        [{kind: row[kind] for kind in kinds if kind in row} for row in read_candidates(one).to_pylist()]
        for one in (run, other)
    )
    assert drawn == expected
    losses, expected = ([line["loss"] for line in metrics(one)] for one in (run, other))
    assert losses == pytest.approx(expected, abs=1e-5)
    assert any(expected)
    if same_model:
        assert_whole_and_equal(run / "model", other / "model")


def assert_whole_and_equal(folder: Path, other: Path):
    from safetensors.torch import load_file

    (file,) = (path.name for path in other.glob("*.safetensors"))
    weights, expected = load_file(folder / file), load_file(other / file)
    for name in weights.keys() - expected.keys():  # DeepSpeed saves tied weights under both names
        assert name == "lm_head.weight"
        assert weights[name].equal(weights["model.embed_tokens.weight"])
    for name, tensor in expected.items():
        assert weights[name].shape == tensor.shape
        assert (weights[name] - tensor).abs().max() < 1e-5, name


@pytest.mark.parametrize("stage", [2, 3])
def test_zero_trains_as_plain_data_parallelism_with_the_same_races(of_two, stage):
    run, said = trained(of_two, f"zero{stage}", *zero(of_two, stage))
    assert "TRL's own path" not in said
    assert_alike(run, of_two.path / "ddp")
    assert {"kept", "lost"} <= {row["outcome"] for row in read_candidates(run).to_pylist()}


def test_an_adapter_under_zero_3(of_two):
    run, _ = trained(of_two, "zero3_lora", *zero(of_two, 3), *LORA)
    assert_alike(run, of_two.path / "ddp_lora")


def test_weights_that_are_not_to_be_gathered_are_sampled_by_trl(of_two):
    run, said = trained(of_two, "layers", *zero(of_two, 3), "--set", "sampling.gather=false", "--steps", 1)
    line = "sampling with TRL's own path: ZeRO-3 spreads the weights, and they are not to be gathered (sampling.gather)"
    assert said.count(line) == 1
    assert {row["outcome"] for row in read_candidates(run).to_pylist()} <= {"kept", "rejected"}


def test_accelerate_launch_asks_for_the_same(of_two):
    zero(of_two, 2)
    asked = {"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_DEEPSPEED_CONFIG_FILE": "zero2.json"}
    run, _ = trained(of_two, "launched", "--steps", 2, **asked)
    losses, expected = ([line["loss"] for line in metrics(one)][:2] for one in (run, of_two.path / "ddp"))
    assert losses == pytest.approx(expected, abs=1e-5)


def test_a_run_under_zero_3_goes_on_from_its_checkpoint(of_two):
    run, _ = trained(of_two, "half", *zero(of_two, 3), "--steps", 2, "--set", "run.save_every=2")
    assert checkpoints(run) == ["checkpoint-2"]
    both = start_two(of_two, "train", "gfpo", "--resume", "--out", "half", "--steps", 4)
    assert [running.outcome().code for running in both] == [0, 0]
    assert_alike(run, of_two.path / "ddp")
