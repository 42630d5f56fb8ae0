"""Where the seconds of an optimizer step go, and how many tokens were sampled in it."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from gpocli.runs.activity import Activity

Part = Literal["generate", "reward", "filter", "step"]
_PARTS: tuple[Part, ...] = ("generate", "reward", "filter")
_DOING: dict[Part, str] = {"generate": "generating", "reward": "scoring", "filter": "choosing", "step": "update"}


class StepClock:
    """Adds up the seconds of each part of a step, which `activity` tells; what no part claims is the update.

    Time in a part within a part, as of rewards in a race, is that of the inner one.
    """

    def __init__(self, activity: Activity | None = None) -> None:
        self.activity = activity or Activity()
        self.sampled_tokens = 0
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._inner = 0.0

    @contextmanager
    def measure(self, part: Part, detail: Callable[[], str] | None = None) -> Iterator[None]:
        """Count the time inside for `part`, or for the whole step; `detail` tells how far it is."""
        started, before, self._inner = time.perf_counter(), self._inner, 0.0
        try:
            with self.activity.doing(_DOING[part], detail):
                yield
        finally:
            spent = time.perf_counter() - started
            self._seconds[part] += spent if part == "step" else spent - self._inner
            self._inner = before + spent

    def read_and_reset(self) -> dict[str, float]:
        """The metrics of the step: seconds of each part and of the update, and tokens a second if any were sampled."""
        seconds = {part: self._seconds[part] for part in _PARTS}
        step, tokens = self._seconds["step"], self.sampled_tokens
        self._seconds.clear()
        self.sampled_tokens = 0
        figures = {f"time/{part}": spent for part, spent in seconds.items()}
        figures["time/update"] = max(0.0, step - sum(seconds.values()))
        return figures | ({"tokens_per_second": tokens / step} if tokens else {})
