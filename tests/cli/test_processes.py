"""What is wrong in one process of a run is said once, with its place, and ends all of them with one exit code."""

import re
import signal
import socket

import pytest

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
def test_a_process_that_is_killed_is_missed_in_one_line(folder):
    main, other = start_two(folder, *HELD)
    main.wait_until((folder.path / "out" / "metrics.jsonl").exists)
    other.send(signal.SIGKILL)
    (folder.path / "go").touch()
    done = main.outcome()
    assert done.code == 5
    assert re.search(r"process 0: the processes lost each other \(.* by peer.*\): one was ended from ", done.stderr)
    assert done.stderr.count("\n") == 1


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
