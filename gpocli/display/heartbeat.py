"""Word of a long step: what a run does, told again and again while nothing else is said."""

import threading
from collections.abc import Callable


class Heartbeat:
    """Calls `beat` in a thread of its own each `seconds` in which `put_off` is not called, until it is stopped."""

    def __init__(self, seconds: float, beat: Callable[[], None]) -> None:
        self._seconds, self._beat = seconds, beat
        self._heard, self._ended = threading.Event(), False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, once."""
        if self._thread is None and not self._ended:
            self._thread = threading.Thread(target=self._run, name="gpo-heartbeat", daemon=True)
            self._thread.start()

    def put_off(self) -> None:
        """Something was said: the time begins anew."""
        self._heard.set()

    def stop(self) -> None:
        """End, for good, and wait for a beat under way."""
        self._ended = True
        self._heard.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._ended:
            was_heard = self._heard.wait(self._seconds)
            self._heard.clear()
            if not was_heard and not self._ended:
                self._beat()
