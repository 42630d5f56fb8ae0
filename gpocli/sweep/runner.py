"""Running the runs of a sweep as processes, one after the other or several at once."""

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Literal

from gpocli.errors import Interrupted
from gpocli.spec.environment import PREFIX
from gpocli.sweep.plan import PlannedRun
from gpocli.sweep.state import command_of, set_aside, state_of

Outcome = Literal["done", "failed", "running", "stopped"]
"""`running` is of a run that another process has in hand, `stopped` of one that the end of the sweep left open."""
_DEVICES = "CUDA_VISIBLE_DEVICES"
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run; `exit_code` is that of its process, None where none was started."""

    planned: PlannedRun
    outcome: Outcome
    exit_code: int | None = None
    reason: str | None = None
    """The last line that a failed one printed."""


@dataclass(slots=True)
class _Active:
    planned: PlannedRun
    process: subprocess.Popen[bytes]
    log: BinaryIO


class Runner:
    """Runs what is not done yet, `jobs` at a time, and goes on after one that fails.

    `tell` hears a line whenever a run starts or ends. A signal to stop is handed on to the runs, which save a
    checkpoint, and no other is started.
    """

    def __init__(self, planned: Sequence[PlannedRun], jobs: int, tell: Callable[[str], None]) -> None:
        self._planned, self._jobs, self._tell = planned, jobs, tell
        self._active: dict[int, _Active] = {}
        self._results: dict[str, Result] = {}
        self._stop: int | None = None

    def run(self) -> list[Result]:
        """The results in the order of the points. Raises `Interrupted` after a signal."""
        with self._hearing_signals():
            waiting = deque(one for one in self._planned if not self._is_settled(one))
            while self._active or (waiting and self._stop is None):
                while waiting and self._stop is None and len(self._active) < self._jobs:
                    self._start(waiting.popleft())
                time.sleep(0.05)
                self._collect()
        if self._stop is not None:
            raise Interrupted("the sweep was stopped; the same command goes on with it", self._stop)
        return [self._results[one.point.name] for one in self._planned]

    def _is_settled(self, planned: PlannedRun) -> bool:
        state = state_of(planned)
        if state not in ("done", "running"):
            return False
        self._results[planned.point.name] = Result(planned, "done" if state == "done" else "running")
        self._tell(f"{planned.point.name}: {'done already' if state == 'done' else 'another process is at it'}")
        return True

    def _start(self, planned: PlannedRun) -> None:
        state = state_of(planned)
        aside = f", what it left before is now {set_aside(planned).name}" if state == "lost" else ""
        planned.log.parent.mkdir(parents=True, exist_ok=True)
        log = planned.log.open("ab")
        slot = next(number for number in range(self._jobs) if number not in self._active)
        process = subprocess.Popen(
            command_of(planned, state).process,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment_of(slot, self._jobs, os.environ),
            start_new_session=True,  # a Ctrl-C of the terminal reaches it once, through us
        )
        self._active[slot] = _Active(planned, process, log)
        self._tell(f"{planned.point.name}: {'resumed' if state == 'begun' else 'started'}{aside}")

    def _collect(self) -> None:
        for slot, one in list(self._active.items()):
            if (code := one.process.poll()) is None:
                continue
            one.log.close()
            del self._active[slot]
            result = self._result(one.planned, code)
            self._results[one.planned.point.name] = result
            words = f"failed with exit code {result.exit_code}: {result.reason}"
            self._tell(f"{one.planned.point.name}: {result.outcome if result.outcome != 'failed' else words}")

    def _result(self, planned: PlannedRun, code: int) -> Result:
        code = code if code >= 0 else 128 - code
        if code == 0:
            return Result(planned, "done", 0)
        return Result(planned, "failed" if self._stop is None else "stopped", code, last_line(planned.log))

    @contextmanager
    def _hearing_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._hand_on) for number in _STOPS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _hand_on(self, number: int, _: FrameType | None) -> None:
        self._stop = self._stop or number
        for one in list(self._active.values()):
            if one.process.poll() is None:
                one.process.send_signal(number)


def environment_of(slot: int, jobs: int, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of the run in a slot (from 0): no values of a spec, which is fixed, and its share of the GPUs.

    GPUs that `CUDA_VISIBLE_DEVICES` names are dealt out where there is one for each job.
    """
    kept = {name: value for name, value in environment.items() if not name.startswith(PREFIX)}
    devices = [one for one in environment.get(_DEVICES, "").split(",") if one]
    if jobs > 1 and len(devices) >= jobs:
        kept[_DEVICES] = ",".join(devices[slot::jobs])
    return kept


def last_line(log: Path) -> str:
    """The last line with something on it, at most 200 characters."""
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 4096))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it printed nothing"
