import contextlib
import signal
import subprocess
import sys
import threading
import time

import pytest

from gpocli.contracts import deadline
from gpocli.contracts.deadline import Deadline, Overdue


def busy():
    while True:
        pass


def stubborn():
    while True:
        with contextlib.suppress(Exception):
            time.sleep(3600)


def swallows_all_once():
    with contextlib.suppress(BaseException):
        time.sleep(3600)
    time.sleep(3600)


HANGS = {
    "sleep": lambda: time.sleep(3600),
    "python": busy,
    "lock": threading.Event().wait,
    "child process": lambda: subprocess.run([sys.executable, "-c", "import time; time.sleep(3600)"]),
    "catches exceptions": stubborn,
    "catches everything once": swallows_all_once,
}


@pytest.mark.parametrize("hang", HANGS.values(), ids=HANGS)
def test_what_hangs_is_left(hang, monkeypatch):
    monkeypatch.setattr(deadline, "_AGAIN", 0.05)
    with pytest.raises(Overdue), Deadline(0.02):
        hang()


@pytest.mark.parametrize("seconds", [None, 1000.0])
def test_what_is_done_in_time_goes_on(seconds):
    with Deadline(seconds):
        pass


def test_a_signal_that_comes_late_ends_neither_the_program_nor_the_next_block():
    with Deadline(1000.0):
        pass
    signal.raise_signal(signal.SIGVTALRM)
    with Deadline(1000.0):
        signal.raise_signal(signal.SIGVTALRM)


def test_other_threads_have_no_deadline():
    done = []

    def work():
        with Deadline(1e-9):
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done
