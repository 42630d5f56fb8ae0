"""`gpo train --resume` goes on with the very same run."""

import os
import re
import shutil
import signal

import pytest

from gpocli.runs.records import read_candidates
from tests.cli.conftest import COUNT_A, GFPO, QUICK, checkpoints, metrics
from tests.cli.test_signals import start_two

# Two updates, each twice, on a generation batch: step 3 ends in the middle of one.
MID_WINDOW = (
    "--set", "batch.updates_per_generation=2", "--set", "batch.iterations=2",
    "--set", "run.save_every=1", "--set", "run.keep_checkpoints=9",
)  # fmt: skip
RUN = (*GFPO, *COUNT_A, *MID_WINDOW)


@pytest.fixture(scope="module")
def half_done(make_folder):
    """A folder with a run of six steps in `straight`, and the first three of it in `half`."""
    folder = make_folder()
    for name, steps in (("straight", 6), ("half", 3)):
        done = folder.gpo(*RUN, "--steps", steps, "--out", name)
        assert (done.code, done.stderr) == (0, "")
    return folder


@pytest.fixture
def half(half_done):
    """A copy of the half run, which a test may go on with."""
    copy = half_done.path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(half_done.path / "half", copy)
    return half_done


def test_a_resumed_run_equals_a_straight_one(half):
    from safetensors.torch import load_file

    done = half.gpo("train", "gfpo", "--resume", "--out", "copy", "--steps", 6)
    assert (done.code, done.stderr) == (0, "")
    assert done.lines[2] == "gfpo 2/4 length on ./model: 6 steps, going on after step 3"
    runs = [half.path / "straight", half.path / "copy"]
    straight, resumed = ([(line["step"], line["loss"], line.get("reward")) for line in metrics(run)] for run in runs)
    assert [step for step, *_ in resumed] == [1, 2, 3, 4, 5, 6]
    assert resumed == straight
    weights = [load_file(run / "model" / "model.safetensors") for run in runs]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    records = [sorted(file.name for file in (run / "candidates").iterdir()) for run in runs]
    assert records[0] == records[1] == ["step-000001.parquet", "step-000005.parquet"]


KINDS = {
    "gmpo": ("train", "gmpo", *QUICK, "--set", "batch.updates_per_generation=4", "--set", "run.log_every=2"),
    "streamed": (*GFPO, "--set", "data.streaming=true", "--set", "run.log_every=2"),
    "lora": (*GFPO, "--set", "model.lora={rank: 2}", "--filter", "adaptive_difficulty", "--set", "run.eval_every=3"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_is_killed_in_its_fourth_step_equals_a_straight_one(folder, kind):
    run = (*KINDS[kind], "--reward", "./mine.py:killed_in_update_4", "--set", "data.eval_source=data.jsonl")
    run = (*run, "--set", "run.save_every=1", "--steps", 6, "--out")
    assert folder.gpo(*run, "out").code == -signal.SIGKILL
    (folder.path / "go").touch()
    assert folder.gpo(*run, "straight").code == 0
    assert folder.gpo(*run, "out", "--resume").code == 0
    runs = [folder.path / "straight", folder.path / "out"]
    straight, resumed = (
        [untimed(line) for kind in ("train", "eval", "end") for line in metrics(run, kind)] for run in runs
    )
    assert resumed == straight
    straight, resumed = (read_candidates(run).to_pylist() for run in runs)
    assert resumed == straight
    straight, resumed = (
        [(file.name, file.read_bytes()) for file in (run / "model").glob("*.safetensors")] for run in runs
    )
    assert resumed == straight


def untimed(line):
    """A line of metrics without times, and without the epoch, which is a share of all steps where data is streamed."""
    times = ("time/", "step_time", "tokens_per_second", "runtime", "per_second", "epoch")
    return {name: value for name, value in line.items() if name != "time" and not any(one in name for one in times)}


DAMAGES = {
    "optimizer.pt has 10 bytes, not ": lambda folder: os.truncate(folder / "optimizer.pt", 10),
    "manifest.json cannot be read": lambda folder: os.truncate(folder / "manifest.json", 10),
    "rng_state.pth is missing": lambda folder: (folder / "rng_state.pth").unlink(),
}


@pytest.mark.parametrize("fault", DAMAGES)
def test_a_damaged_checkpoint_is_passed_over_and_told(half, fault):
    DAMAGES[fault](half.path / "copy" / "checkpoints" / "checkpoint-3")
    done = half.gpo("train", "gfpo", "--resume", "--out", "copy", "--steps", 4)
    assert (done.code, done.stderr) == (0, "")
    (told,) = [line for line in done.lines if "damaged" in line]
    assert re.fullmatch(rf"checkpoint-3 is damaged: {fault}.*; going on from checkpoint-2", told)
    assert "gfpo 2/4 length on ./model: 4 steps, going on after step 2" in done.lines
    assert [line["step"] for line in metrics(half.path / "copy")] == [1, 2, 3, 4]


def test_without_a_whole_checkpoint_each_is_named_in_one_line(half):
    for step in (1, 2, 3):
        (half.path / "copy" / "checkpoints" / f"checkpoint-{step}" / "model.safetensors").unlink()
    done = half.gpo("train", "gfpo", "--resume", "--out", "copy", "--steps", 6)
    assert (done.code, done.stdout) == (2, "")
    damaged = "; ".join(f"checkpoint-{step} is damaged: model.safetensors is missing" for step in (3, 2, 1))
    assert done.stderr == f"'copy' has no whole checkpoint to resume from ({damaged}); start anew with another --out\n"


def test_a_changed_spec_is_refused_with_the_differences(half):
    done = half.gpo(*RUN, "--resume", "--out", "copy", "--steps", 6, "--lr", "0.02", "-G", 8)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == (
        "copy was started with another spec, so it cannot go on with this one: algorithm.group_size was 4, is 8; "
        "optim.learning_rate was 0.01, is 0.02; leave these as they were, or start anew with another --out\n"
    )


def test_a_reward_that_was_edited_is_refused(half):
    mine = half.path / "mine.py"
    before = mine.read_text()
    mine.write_text(before.replace('"a"', '"b"'))
    done = half.gpo("train", "gfpo", "--resume", "--out", "copy", "--steps", 6)
    mine.write_text(before)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == (
        "copy was started with other files, so it cannot go on with these: reward './mine.py:count_a'; put back what "
        "was there, or start anew with another --out\n"
    )


def test_another_number_of_processes_is_refused_by_all_of_them(half):
    resume = ("train", "gfpo", "--resume", "--out", "copy", "--steps", 6)
    main, other = (running.outcome() for running in start_two(half, *resume))
    assert (main.code, main.stdout, other.code, other.stdout, other.stderr) == (2, "", 2, "", "")
    assert main.stderr == (
        "'copy/checkpoints/checkpoint-3' was saved with 1 process and cannot go on with 2 processes; resume with what "
        "it was, or start anew from its weights with 'copy/checkpoints/checkpoint-3' as the model\n"
    )
    anew = half.gpo(*RUN, "--model", "copy/checkpoints/checkpoint-3", "--steps", 1, "--out", "anew")
    assert (anew.code, anew.stderr) == (0, "")


@pytest.mark.slow
def test_one_process_does_not_go_on_with_the_half_of_two(folder):
    assert [running.outcome().code for running in start_two(folder, *GFPO, *COUNT_A)] == [0, 0]
    done = folder.gpo("train", "gfpo", "--resume", "--out", "out", "--steps", 3)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("'out/checkpoints/checkpoint-2' was saved with 2 processes and cannot go on with 1 ")


def test_another_method_is_refused(half):
    done = half.gpo("train", "gmpo", "--resume", "--out", "copy")
    assert (done.code, done.stderr) == (
        2,
        "copy was started with gfpo, so it cannot go on with gmpo; write gpo train gfpo --resume --out copy\n",
    )


@pytest.mark.parametrize("steps", [2, 3])
def test_a_run_that_has_all_its_steps_says_so(half, steps):
    done = half.gpo("train", "gfpo", "--resume", "--out", "copy", "--steps", steps)
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr == f"'copy' has done 3 steps, and {steps} are asked for; write --steps 6 to go on\n"


def test_a_run_that_was_stopped_before_its_model_was_saved_saves_it(half):
    from safetensors.torch import load_file

    shutil.rmtree(half.path / "copy" / "model")
    done = half.gpo("train", "gfpo", "--resume", "--out", "copy")
    assert (done.code, done.stderr) == (0, "")
    assert [line["step"] for line in metrics(half.path / "copy")] == [1, 2, 3]
    weights = [load_file(half.path / run / "model" / "model.safetensors") for run in ("half", "copy")]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ((), "--resume needs the run directory to go on with; write --out runs/<name> as well\n"),
        (("--out", "none"), "no run directory 'none' to resume; check the path\n"),
        (("--out", "model"), "'model' is no run directory (it has no spec.yaml); check the path\n"),
    ],
)
def test_what_cannot_be_resumed_is_told(folder, flags, text):
    done = folder.gpo("train", "gfpo", "--resume", *flags)
    assert (done.code, done.stdout, done.stderr) == (2, "", text)


def test_a_run_without_a_checkpoint_begins_again(folder):
    assert folder.gpo(*GFPO, "--reward", "./mine.py:breaks_in_step_2").code == 3
    mine = folder.path / "mine.py"
    mine.write_text(mine.read_text().replace('raise ValueError("no such judge")', "pass"))
    done = folder.gpo("train", "gfpo", "--resume", "--out", "out")
    assert (done.code, done.stderr) == (0, "")
    assert "no checkpoint was there yet: beginning with the first step" in done.lines
    assert [line["step"] for line in metrics(folder.path / "out")] == [1, 2]


def test_a_hole_in_the_metrics_is_told_and_filled(half):
    file = half.path / "copy" / "metrics.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[0] + lines[1][:40])
    done = half.gpo("train", "gfpo", "--resume", "--out", "copy", "--steps", 4)
    assert (done.code, done.stderr) == (0, "")
    told = "metrics.jsonl lacks lines of 2 steps between 2 and 3: they are put back from checkpoint-3"
    assert told in done.lines
    back = metrics(half.path / "copy")
    assert [line["time"] is None for line in back] == [False, True, True, False]
    straight = metrics(half.path / "half")
    assert [untimed(line) for line in back[:3]] == [untimed(line) for line in straight]


def test_an_evaluation_before_the_first_step_is_not_made_again(folder):
    evaluated = ("--set", "run.eval_every=2", "--set", "data.eval_limit=2", "--set", "data.eval_source=data.jsonl")
    assert folder.gpo(*GFPO, *COUNT_A, *evaluated).code == 0
    assert folder.gpo("train", "gfpo", "--resume", "--out", "out", "--steps", 4).code == 0
    assert [line["step"] for line in metrics(folder.path / "out", "eval")] == [0, 2, 4]
    assert [line["step"] for line in metrics(folder.path / "out", "end")] == [4]


def test_every_run_ends_with_a_checkpoint_to_go_on_from(folder):
    assert folder.gpo(*GFPO, *COUNT_A).code == 0
    assert checkpoints(folder.path / "out") == ["checkpoint-2"]
    assert folder.gpo("train", "gfpo", "--resume", "--out", "out", "--steps", 3).code == 0
    assert [line["step"] for line in metrics(folder.path / "out")] == [1, 2, 3]
