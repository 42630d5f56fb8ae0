import os
import signal

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.maths import algebra as algebra_module
from gpocli.maths.algebra import BoundedAlgebra, Undecided, WorkerProcess, stop_worker

SLOW = (r"\binom{10^9}{500000000}", "1")
"""Takes for ever: a test that uses it ends because it is stopped."""


@pytest.fixture(scope="module")
def started():
    processes = []
    yield processes
    for process in processes:
        process.stop()


@pytest.fixture
def worker(started):
    """The one that is there, unless a test ended it: to start one takes a second."""
    if not started or not started[-1].is_alive:
        started.append(WorkerProcess())
    return started[-1]


def test_a_worker_answers(worker):
    assert worker.ask(30.0, "same_value", "x+1", "1+x").answer is True
    assert worker.ask(30.0, "same_value", "x+1", "x").answer is False
    assert worker.is_alive


def test_a_slow_comparison_ends_and_the_worker_lives(worker):
    reply = worker.ask(0.2, "same_value", *SLOW)
    assert (reply.answer, reply.may_try_again) == (None, True)
    assert worker.is_alive
    assert worker.ask(30.0, "same_value", "x+1", "1+x").answer is True


def test_what_the_worker_gives_up_on_does_not_kill_it(worker):
    assert worker.ask(30.0, "same_value", "9^{9^{9}}", "1") == (None, False, pytest.approx(0, abs=30))
    assert worker.is_alive


def test_a_worker_that_does_not_answer_is_killed(worker):
    reply = worker.ask(600.0, "same_value", *SLOW, wall_seconds=0.2)
    assert (reply.answer, reply.may_try_again) == (None, False)
    assert not worker.is_alive


def test_a_worker_that_died_says_nothing(worker):
    os.kill(worker._process.pid, signal.SIGKILL)
    assert worker.ask(30.0, "is_value", "x") is None


def test_an_alarm_ends_a_worker_whose_parent_is_gone(worker):
    worker._send('[600.0, -0.8, "same_value", "\\\\binom{10^9}{500000000}", "1"]\n')
    worker._process.wait()
    assert worker._process.returncode == -signal.SIGALRM


def test_a_worker_that_cannot_start_says_why(monkeypatch):
    monkeypatch.setattr(algebra_module, "_environment", lambda: {**os.environ, "PYTHONHOME": "/nowhere"})
    with pytest.raises(EnvironmentFault, match=r"^the process that compares formulas did not start: .*; check that"):
        WorkerProcess()


def test_answers_are_remembered():
    algebra = BoundedAlgebra(row_seconds=30.0, batch_seconds=60.0)
    assert algebra.same_value("q+3", "3+q")
    spent = BoundedAlgebra(row_seconds=0.0, batch_seconds=0.0)
    assert spent.same_value("q+3", "3+q")
    with pytest.raises(Undecided):
        spent.same_value("q+4", "4+q")


def test_each_row_has_its_own_time():
    algebra = BoundedAlgebra(row_seconds=0.5, batch_seconds=60.0)
    algebra.begin_row()
    with pytest.raises(Undecided) as tried:
        algebra.same_value(*SLOW)
    assert tried.value.asked
    with pytest.raises(Undecided):
        algebra.same_value("q+5", "5+q")
    algebra.begin_row()
    with pytest.raises(Undecided):  # without asking again
        algebra.same_value(*SLOW)
    algebra.begin_row()
    assert algebra.same_value("q+5", "5+q")


def test_a_dead_worker_is_replaced():
    algebra = BoundedAlgebra(row_seconds=30.0, batch_seconds=60.0)
    algebra.is_value("q+6")
    os.kill(algebra_module._shared._worker._process.pid, signal.SIGKILL)
    algebra_module._shared._worker._process.wait()
    assert algebra.same_value("q+6", "6+q")


def test_a_stopped_worker_is_started_again():
    algebra = BoundedAlgebra(row_seconds=30.0, batch_seconds=60.0)
    stop_worker()
    assert algebra.same_value("q+7", "7+q")


def test_files_in_the_working_directory_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / "random.py").write_text("raise ImportError('not this one')")
    monkeypatch.chdir(tmp_path)
    process = WorkerProcess()
    process.stop()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
def test_a_forked_child_has_its_own_worker():
    algebra = BoundedAlgebra(row_seconds=30.0, batch_seconds=60.0)
    algebra.is_value("q+8")
    parents = algebra_module._shared._worker._process.pid
    child = os.fork()
    if child == 0:
        answer = BoundedAlgebra(30.0, 60.0).same_value("q+8", "8+q")
        own = algebra_module._shared._worker._process.pid != parents
        stop_worker()
        os._exit(0 if answer and own else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert algebra.same_value("q+9", "9+q")
    assert algebra_module._shared._worker._process.pid == parents
