"""How far a run is, how fast its steps come, and how long the rest will take."""

import time
from collections import deque

_WINDOW = 20


class Pace:
    """The pace over the last twenty of `total` steps; times are seconds of `time.monotonic`."""

    def __init__(self, total: int = 0, first_step: int = 0) -> None:
        self.total = total
        self.started = time.monotonic()
        self._ticks: deque[tuple[int, float]] = deque([(first_step, self.started)], maxlen=_WINDOW + 1)

    @property
    def step(self) -> int:
        """The last step that is done."""
        return self._ticks[-1][0]

    def tick(self, step: int) -> None:
        """Step `step` is done now; a step that was counted is not counted again."""
        if step > self.step:
            self._ticks.append((step, time.monotonic()))

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def seconds_a_step(self) -> float | None:
        """Mean of the last steps in seconds; None before one is done."""
        (first, since), (last, until) = self._ticks[0], self._ticks[-1]
        return (until - since) / (last - first) if last > first else None

    def left(self) -> float | None:
        """Seconds from now until the last step is done; None when it cannot be told yet."""
        pace = self.seconds_a_step()
        if pace is None:
            return None
        step, at = self._ticks[-1]
        return max(0.0, pace * (self.total - step) - (time.monotonic() - at))
