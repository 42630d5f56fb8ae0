"""Where the seconds of an optimizer step go."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

PARTS = ("generate", "reward", "filter")


class StepClock:
    """Adds up the seconds of each part of a step; what no part claims is the update."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        """Count the time inside for `part`, one of `PARTS`, or for the whole step ("step")."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[part] += time.perf_counter() - started

    def read_and_reset(self) -> dict[str, float]:
        """The seconds of each part and of the update since the last call, and the whole step's."""
        seconds = {part: self._seconds[part] for part in PARTS}
        step = self._seconds["step"]
        self._seconds.clear()
        return seconds | {"update": max(0.0, step - sum(seconds.values())), "step": step}
