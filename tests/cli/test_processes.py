"""What is wrong in one process of a run is said once, with its place, and ends all of them with one exit code."""

import re
import signal
import socket

import pytest

from gpocli.runs.records import read_candidates
from tests.cli.conftest import COUNT_A, GFPO
from tests.cli.test_signals import HELD, start_two

SECOND = f"host '{socket.gethostname()}', process 1"
BREAKS = """
import os
import re


def breaks_in_one(completions, trainer_state, **columns):
    if trainer_state.global_step == 1 and os.environ["RANK"] == "1":
        raise ValueError("no such judge")
    return [float(len(text)) for text in completions]
"""


def ends(folder, *arguments, **more):
    """The exit codes of both processes, and all that was said on stderr."""
    done = [running.outcome() for running in start_two(folder, *arguments, **more)]
    return [one.code for one in done], "".join(one.stderr for one in done), done


def test_a_fault_in_one_process_ends_both_with_one_line(folder):
    folder.write(mine_py=BREAKS)
    codes, stderr, (main, other) = ends(folder, *GFPO, "--reward", "./mine.py:breaks_in_one")
    assert codes == [3, 3]
    assert stderr.count("\n") == 1
    assert stderr.startswith(f'{SECOND}: reward "breaks_in_one" failed on ')
    assert "stopping" not in main.stdout + other.stdout


def test_a_fault_in_both_processes_is_said_once_without_a_place(folder):
    codes, stderr, _ = ends(folder, *GFPO, "--reward", "./mine.py:breaks_in_step_2")
    assert codes == [3, 3]
    assert stderr.count("\n") == 1
    assert stderr.startswith('reward "breaks_in_step_2" failed on ')


DIFFERENT = {
    "another group size": (
        ("-G", 6),
        "would train something else: algorithm.group_size is 6 there, 4 elsewhere; make them the same on all hosts",
    ),
    "a missing file": (("--data", "none.jsonl"), None),
}


@pytest.mark.parametrize(("own", "text"), DIFFERENT.values(), ids=DIFFERENT)
def test_processes_that_would_train_something_else_are_refused(folder, own, text):
    codes, stderr, _ = ends(folder, *GFPO, *COUNT_A, of_second=own)
    assert codes == [2, 2]
    assert stderr.count("\n") == 1
    assert stderr.startswith(SECOND)
    assert stderr.endswith(f"{SECOND} {text}\n" if text else "\n")
    assert not (folder.path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("killed", [0, 1])
def test_a_process_that_is_killed_is_missed_in_one_line(folder, killed):
    both = start_two(folder, *HELD)
    left = both[1 - killed]
    left.wait_until((folder.path / "out" / "metrics.jsonl").exists)
    both[killed].send(signal.SIGKILL)  # while the rewards of both are waited for: no collective tells
    done = left.outcome()
    assert done.code == 5
    place = f"host '{socket.gethostname()}', process {killed}"
    assert done.stderr == f"{place} is gone: killed, for want of memory perhaps; go on with --resume\n"


HELD_FILTER = """
import os
import pathlib
import time


class Held:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths, trainer_state):
        while trainer_state.global_step == 1 and not pathlib.Path("go").exists():
            pathlib.Path("held" + os.environ["RANK"]).touch()
            time.sleep(0.01)
        return [[-float(length) for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + 1.0)


held = Held()
"""


@pytest.mark.slow
def test_processes_leave_their_sampling_together_when_one_is_told(folder):
    folder.write(mine_py=HELD_FILTER)
    run = (*GFPO, "--reward", "think_format", "--filter", "./mine.py:held")
    both = start_two(folder, *run)
    for rank in range(2):
        both[rank].wait_until((folder.path / f"held{rank}").exists)
    both[1].send(signal.SIGUSR1)
    main, other = (running.outcome() for running in both)
    assert (main.code, other.code, other.stderr) == (143, 143, "")
    assert main.stderr == "stopped at checkpoint-1; go on with: gpo train gfpo --resume --out out\n"
    assert "SIGUSR1: stopping at once, as the run was after its last step" in main.lines
    (folder.path / "go").touch()
    for arguments in (("train", "gfpo", "--resume", "--out", "out"), (*run, "--out", "straight")):
        assert [running.outcome().code for running in start_two(folder, *arguments)] == [0, 0]
    runs = [folder.path / name for name in ("out", "straight")]
    resumed, straight = ((run / "model" / "model.safetensors").read_bytes() for run in runs)
    assert resumed == straight
    assert read_candidates(runs[0]).to_pylist() == read_candidates(runs[1]).to_pylist()


HANGS = """
import os
import time


def hangs_in_one(completions, trainer_state, **columns):
    if trainer_state.global_step == 1 and os.environ["RANK"] == "1":
        time.sleep(30)
    return [float(len(text)) for text in completions]
"""


def test_a_kind_of_sharding_that_accelerate_leaves_out_is_refused(folder):
    done = folder.gpo(*GFPO, *COUNT_A, ACCELERATE_USE_FSDP="true")
    assert done.code == 5
    assert done.stderr.startswith("FSDP was asked for (ACCELERATE_USE_FSDP, of accelerate launch), but accelerate ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_group_has_the_timeout_of_the_run(folder):
    folder.write(mine_py=HANGS)
    timeout = ("--set", "trl.ddp_timeout=5")
    codes, stderr, _ = ends(folder, *GFPO, "--reward", "./mine.py:hangs_in_one", *timeout)
    assert codes == [5, 5], stderr
    assert "the processes lost each other (Timed out waiting 5000ms " in stderr
    assert stderr.count("\n") == 1


@pytest.mark.slow
def test_torchrun_is_told_what_ended_its_process(folder):
    folder.write(mine_py=BREAKS)
    launch = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, "-m", "gpocli")
    done = folder.start_python(*launch, *GFPO, "--reward", "./mine.py:breaks_in_one").outcome()
    assert done.code == 1  # torchrun's own
    assert done.stderr.startswith(f'{SECOND}: reward "breaks_in_one" failed on ')
    # From the error file, and no stack of ours, of the other process or of its collective.
    assert f'traceback : {SECOND}: reward "breaks_in_one" failed on ' in re.sub(r"\s+", " ", done.stderr)
    assert "mine.py" not in re.sub(r"\(mine.py:\d+\)", "", done.stderr)
    assert "stopping" not in done.stdout
    assert "Connection closed" not in done.stderr
