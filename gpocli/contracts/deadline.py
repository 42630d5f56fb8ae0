"""A deadline for a call in the main thread, which is left where it stands when its time is over."""

import signal
import threading
import time
from types import FrameType
from typing import Any

_AGAIN = 1.0
"""Seconds until a call that has swallowed what it was told is told again."""


class Overdue(BaseException):
    """The time of a call is over. Not an Exception, which the code that is called may catch."""


class Deadline:
    """Raises `Overdue` inside of the block when `seconds` are over; None: never.

    A signal wakes the main thread, so it leaves Python code and whatever waits: sleep, locks, sockets, child
    processes. It cannot leave code in C that does not come back to Python, such as a regular expression that
    explodes, and other threads cannot be left at all: there the block has no deadline.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._is_over = threading.Event()
        self._end = 0.0

    def __enter__(self) -> None:
        if self._seconds is None or threading.current_thread() is not threading.main_thread():
            return
        self._end = time.monotonic() + self._seconds
        # The handler stays when the block is left: a signal on its way would end a process that has none.
        signal.signal(signal.SIGVTALRM, self._ring)
        threading.Thread(target=self._wait, args=(self._seconds, threading.get_ident()), daemon=True).start()

    def __exit__(self, *error: Any) -> None:
        self._is_over.set()

    def _wait(self, seconds: float, main: int) -> None:
        while not self._is_over.wait(seconds):
            signal.pthread_kill(main, signal.SIGVTALRM)
            seconds = _AGAIN

    def _ring(self, number: int, frame: FrameType | None) -> None:
        # A signal of a block before this one may come late.
        if not self._is_over.is_set() and time.monotonic() >= self._end:
            raise Overdue
