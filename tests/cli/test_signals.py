"""Signals that stop a run: a whole checkpoint is left, and the exit code tells. Runs of two processes."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest

from gpocli.runs.records import read_candidates
from tests.cli.command import environments
from tests.cli.conftest import COUNT_A, GFPO, checkpoints, metrics

HELD = (*GFPO, "--reward", "./mine.py:held_in_step_2", "--steps", 50)
"""A run that stays in the rewards of its second step until `let_go`."""
HELD_IN_UPDATE = (*GFPO, "--reward", "./mine.py:held_in_update_2", "--steps", 50)
"""The same in the update of that step."""
RESUME = "gpo train gfpo --resume --out out\n"


def in_step_2(folder, *arguments, **environment):
    """A run that has done its first step and stays in the second."""
    running = folder.start(*HELD, *arguments, **environment)
    running.wait_until((folder.path / "out" / "metrics.jsonl").exists)
    return running


def in_update_2(folder, *arguments):
    """A run that stays in the update of its second step."""
    running = folder.start(*HELD_IN_UPDATE, *arguments)
    running.wait_until((folder.path / "held").exists)
    return running


def let_go(folder):
    (folder.path / "go").touch()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_an_update_ends_the_step_and_leaves_a_whole_checkpoint(folder, number, code):
    running = in_update_2(folder)
    running.send(number)
    running.wait_until(lambda: running.prints("stopping after this step with a checkpoint"))
    if number == signal.SIGTERM:  # which schedulers repeat
        running.send(number)
    let_go(folder)
    done = running.outcome()
    assert (done.code, done.stderr) == (code, f"stopped at checkpoint-2; go on with: {RESUME}")
    assert done.lines[-1] == "interrupted after step 2 of 50"
    assert checkpoints(folder.path / "out") == ["checkpoint-2"]
    assert not (folder.path / "out" / "model").exists()


@pytest.mark.parametrize(
    ("number", "flags", "code"),
    [(signal.SIGHUP, (), 143), (signal.SIGUSR1, ("--requeue",), 75), (signal.SIGINT, ("--requeue",), 130)],
)
def test_a_signal_before_the_update_does_not_wait(folder, number, flags, code):
    running = in_step_2(folder, *flags)
    running.send(number)
    done = running.outcome()
    assert (done.code, done.stderr) == (code, f"stopped at checkpoint-1; go on with: {RESUME}")
    assert done.lines[-1] == "interrupted after step 1 of 50"
    assert checkpoints(folder.path / "out") == ["checkpoint-1"]


def test_a_stopped_run_goes_on_as_the_hint_says_and_equals_one_that_was_not_stopped(folder):
    running = in_step_2(folder)
    running.send(signal.SIGINT)
    hint = running.outcome().stderr.partition("go on with: gpo ")[2]
    let_go(folder)
    done = folder.gpo(*hint.split(), "--steps", 3)
    assert (done.code, done.stderr) == (0, "")
    assert folder.gpo(*HELD, "--steps", 3, "--out", "straight").code == 0
    runs = [folder.path / name for name in ("out", "straight")]
    resumed, straight = ([(line["step"], line["loss"], line["reward"]) for line in metrics(run)] for run in runs)
    assert resumed == straight
    assert read_candidates(runs[0]).to_pylist() == read_candidates(runs[1]).to_pylist()
    resumed, straight = ((run / "model" / "model.safetensors").read_bytes() for run in runs)
    assert resumed == straight


@pytest.mark.slow
def test_a_limit_stops_a_run_as_sigterm_does(folder):
    done = folder.gpo(*HELD, "--set", "run.max_minutes=0.1", "--set", "run.requeue=true")
    assert done.code == 75
    assert done.stderr in (f"stopped at checkpoint-1; go on with: {RESUME}", "stopped while loading\n")


def test_a_run_that_is_stopped_in_its_first_step_begins_again(folder):
    folder.write(mine_py="import time\n\n\ndef waits(completions, **columns):\n    time.sleep(99)\n")
    running = folder.start(*GFPO, "--reward", "./mine.py:waits")
    running.wait_until(lambda: running.prints("2 steps"))
    running.send(signal.SIGTERM)
    done = running.outcome()
    assert (done.code, done.stderr) == (143, f"stopped before the first step; begin again with: {RESUME}")
    folder.write(mine_py="def waits(completions, **columns):\n    return [float(len(text)) for text in completions]\n")
    done = folder.gpo("train", "gfpo", "--resume", "--out", "out")
    assert (done.code, done.stderr) == (0, "")
    assert "nothing was done yet: beginning with the first step" in done.lines


def test_the_second_ctrl_c_ends_at_once(folder):
    running = in_update_2(folder)
    running.send(signal.SIGINT)
    running.wait_until(lambda: running.prints("once more stops at once"))
    running.send(signal.SIGINT)
    done = running.outcome()
    assert done.code == 130
    assert done.lines[-1] == "interrupted after step 1 of 50"
    assert checkpoints(folder.path / "out") == []


def test_a_signal_in_the_last_update_leaves_a_finished_run(folder):
    running = in_update_2(folder, "--steps", 2)
    running.send(signal.SIGINT)
    let_go(folder)
    done = running.outcome()
    assert (done.code, done.stderr) == (0, "")
    assert done.lines[-1] == "saved: out"
    assert (folder.path / "out" / "model").is_dir()


def test_a_signal_while_loading_ends_at_once(folder):
    running = folder.start_python("-m", "gpocli", *HELD)
    running.wait_until(lambda: running.prints("loading"))
    running.send(signal.SIGINT)
    assert running.outcome().code == 130


@pytest.mark.slow
def test_the_cursor_is_back_after_a_signal_on_a_terminal(folder):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "gpocli", *map(str, HELD)],
        cwd=folder.path, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
    )  # fmt: skip
    os.close(theirs)
    printed, sent = b"", False
    while True:
        try:
            printed += os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not sent and (folder.path / "out" / "metrics.jsonl").exists():
            process.send_signal(signal.SIGINT)
            let_go(folder)
            sent = True
    os.close(ours)
    assert process.wait() == 130
    assert b"\x1b[?25l" in printed
    assert printed.rindex(b"\x1b[?25h") > printed.rindex(b"\x1b[?25l")
    assert b"stopped at checkpoint-" in printed


# Two processes


def start_two(folder, *arguments, of_second=(), **environment):
    """Both processes of a run, as torchrun starts them; the second one may have arguments of its own."""
    pairs = zip(environments(2), ((), of_second), strict=True)
    return [folder.start(*arguments, *own, **given, **environment) for given, own in pairs]


def test_two_processes_share_a_directory_and_one_set_of_lines(folder):
    arguments = [one for one in (*GFPO, *COUNT_A) if one not in ("--out", "out")]
    main, other = (running.outcome() for running in start_two(folder, *arguments))
    assert (main.code, main.stderr, other.code, other.stdout, other.stderr) == (0, "", 0, "", "")
    (run,) = (folder.path / "runs").iterdir()
    assert [line["step"] for line in metrics(run)] == [1, 2]
    assert folder.gpo(*GFPO, *COUNT_A).code == 0
    both, alone = (read_candidates(place).to_pylist() for place in (run, folder.path / "out"))
    assert [row["completion"] for row in both if row["kept"]] == [row["completion"] for row in alone if row["kept"]]


def test_two_processes_are_both_refused_a_used_directory(folder):
    assert folder.gpo(*GFPO, *COUNT_A).code == 0
    main, other = (running.outcome() for running in start_two(folder, *GFPO, *COUNT_A))
    assert (main.code, other.code, other.stderr) == (2, 2, "")
    assert main.stderr.startswith("run directory 'out' is already used; ")


def test_two_processes_stop_after_the_same_step_whichever_is_told(folder):
    both = start_two(folder, *HELD)
    both[0].wait_until((folder.path / "out" / "metrics.jsonl").exists)
    both[1].send(signal.SIGTERM)
    let_go(folder)
    main, other = (running.outcome() for running in both)
    assert (main.code, other.code, other.stderr) == (143, 143, "")
    (checkpoint,) = checkpoints(folder.path / "out")
    assert main.stderr == f"stopped at {checkpoint}; go on with: gpo train gfpo --resume --out out\n"


@pytest.mark.slow
def test_two_processes_resume_in_the_middle_of_a_generation_batch(folder):
    window = ("--set", "batch.updates_per_generation=2", "--set", "batch.iterations=2", "--set", "run.save_every=1")
    for arguments in (
        (*GFPO, *COUNT_A, *window, "--steps", 6, "--out", "straight"),
        (*GFPO, *COUNT_A, *window, "--steps", 3),
        ("train", "gfpo", "--resume", "--out", "out", "--steps", 6),
    ):
        assert [running.outcome().code for running in start_two(folder, *arguments)] == [0, 0]
    runs = [folder.path / "straight", folder.path / "out"]
    straight, resumed = ([(line["step"], line["loss"], line.get("reward")) for line in metrics(run)] for run in runs)
    assert resumed == straight
    straight, resumed = (read_candidates(run).to_pylist() for run in runs)
    assert resumed == straight
    straight, resumed = ((run / "model" / "model.safetensors").read_bytes() for run in runs)
    assert resumed == straight


@pytest.mark.slow
def test_torchrun_starts_two_processes(folder):
    launch = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, "-m", "gpocli")
    done = folder.start_python(*launch, *GFPO, *COUNT_A).outcome()
    assert done.code == 0
    assert done.stdout.count("step 2/2") == 1
    assert done.lines[-1] == "saved: out"
    assert "Warning" not in done.stderr


def test_nothing_is_left_running(folder):
    running = in_step_2(folder)
    running.send(signal.SIGINT)
    let_go(folder)
    running.outcome()
    while has_processes(running.pid):
        time.sleep(0.01)


def has_processes(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
