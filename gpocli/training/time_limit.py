"""A wall limit of a run: at its end the run is stopped as by SIGTERM."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimit:
    """Sends SIGTERM to the main thread `seconds` after it began to run, never where they are None."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.is_reached = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run inside."""
        if self.seconds is None:
            yield
            return
        timer = threading.Timer(max(self.seconds, 0.0), self._reach)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _reach(self) -> None:
        self.is_reached = True
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
