"""The processes of a sweep: how many at once, what a failed one changes, and how signals reach them."""

import os
import signal
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from gpocli.errors import Interrupted
from gpocli.sweep import runner
from gpocli.sweep.runner import Runner, environment_of, last_line


@pytest.fixture
def run_as(plan, monkeypatch):
    """`run_as(code, *, seeds, jobs)`: what comes of runs that are small Python processes, told their seed."""
    lines = []

    def run(code, *, seeds=3, jobs=1):
        def command(planned, state):
            return SimpleNamespace(process=[sys.executable, "-S", "-c", code, str(planned.spec.run.seed)])

        monkeypatch.setattr(runner, "command_of", command)
        return Runner(plan(seeds=seeds), jobs, lines.append).run()

    run.lines = lines
    return run


def test_a_failed_run_ends_no_other(run_as):
    results = run_as("import sys; print('bad seed'); sys.exit(3 if sys.argv[1] == '1' else 0)")
    assert [(one.outcome, one.exit_code) for one in results] == [("done", 0), ("failed", 3), ("done", 0)]
    assert results[1].reason == "bad seed"
    assert "seed-1: failed with exit code 3: bad seed" in run_as.lines


def test_as_many_at_once_as_jobs(run_as, tmp_path):
    """Each waits until there are two."""
    wait = f"""
import pathlib, sys, time
here = pathlib.Path({str(tmp_path)!r})
(here / f"at-{{sys.argv[1]}}").touch()
while len(list(here.glob("at-*"))) < 2:
    time.sleep(0.01)
"""
    assert {one.outcome for one in run_as(wait, seeds=2, jobs=2)} == {"done"}


def test_a_signal_is_handed_on_and_starts_no_other(run_as, tmp_path):
    wait = f"""
import pathlib, signal, sys, time
def stop(number, frame):
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
pathlib.Path({str(tmp_path)!r}, "there").touch()
while True:
    time.sleep(0.01)
"""

    def interrupt():
        while not (tmp_path / "there").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(Interrupted, match="the same command goes on with it") as caught:
        run_as(wait)
    thread.join()
    assert caught.value.exit_code == 130
    assert run_as.lines == ["seed-0: started", "seed-0: stopped"]


def test_a_run_gets_no_values_of_a_spec_and_its_share_of_the_gpus():
    given = {"GPO__RUN__STEPS": "9", "CUDA_VISIBLE_DEVICES": "0,1,2,3", "A": "b"}
    assert environment_of(1, 2, given) == {"CUDA_VISIBLE_DEVICES": "1,3", "A": "b"}
    assert environment_of(0, 1, given)["CUDA_VISIBLE_DEVICES"] == "0,1,2,3"
    assert environment_of(0, 8, given)["CUDA_VISIBLE_DEVICES"] == "0,1,2,3"


def test_the_last_line_with_something_on_it(tmp_path):
    (tmp_path / "log").write_text("one\ntwo \n\n")
    assert last_line(tmp_path / "log") == "two"
    (tmp_path / "log").write_text("")
    assert last_line(tmp_path / "log") == "it printed nothing"
