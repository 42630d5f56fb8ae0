"""Algebra in bounded wall time, in any thread: asked of a process that runs `symbolic`, with answers remembered."""

import atexit
import contextlib
import json
import math
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

import gpocli
from gpocli.errors import EnvironmentFault
from gpocli.maths.forms import Relation

REMEMBERED = 8192
"""Answers of the worker that are kept for the next time the same is asked."""

START_SECONDS = 60.0
"""How long the worker may take to load what it needs; half a second on an idle machine."""

Question = tuple[Any, ...]


WALL = 4.0
"""Seconds of wall time, for each second of CPU time that a question may take, after which the worker is killed."""

LEAST_WALL = 2.0
"""Seconds of wall time that a question has on a busy machine, however little CPU time it may take."""


class Undecided(Exception):
    """A comparison would take longer than it may; `asked`: it was tried, and did not end."""

    def __init__(self, *, asked: bool) -> None:
        super().__init__()
        self.asked = asked


class BoundedAlgebra:
    """Compares expressions for the rows of one batch. Every method raises `Undecided`.

    `row_seconds` bound the CPU time spent on a row, so that what is too dear does not depend on how busy the machine
    is; `batch_seconds` the wall time spent on all rows, with all starts of the worker process but the first.
    """

    def __init__(self, row_seconds: float, batch_seconds: float) -> None:
        self._row_seconds = row_seconds
        self._batch_left = batch_seconds
        self._row_left = row_seconds
        self._tried: dict[Question, float] = {}

    def begin_row(self, seconds: float | None = None) -> None:
        """Give the next row its own time, `seconds` where it is to have less than it may."""
        self._row_left = self._row_seconds if seconds is None else seconds

    def is_value(self, latex: str) -> bool:
        """Whether `latex` can be read as an expression."""
        return self._ask("is_value", latex)

    def same_value(self, first: str, second: str) -> bool:
        """Whether two expressions are equal wherever both are defined; False when one cannot be read."""
        return self._ask("same_value", first, second)

    def same_relation(self, first: Relation, second: Relation) -> bool:
        """Whether two relations hold for the same values; False when one cannot be read."""
        return self._ask("same_relation", first.sides, first.signs, second.sides, second.signs)

    def is_near(self, latex: str, number: str, distance: str) -> bool:
        """Whether an expression is a real number less than `distance` away from `number`; both may be `4/3`."""
        return self._ask("is_near", latex, number, distance)

    def _ask(self, *question: Any) -> bool:
        known = _shared.remembered(question)
        if known is not None:
            return known
        tried = self._tried.get(question, 0.0)
        # What was slow once is not tried again for each of the other completions of the prompt.
        if min(self._row_left, self._batch_left) <= 0 or self._row_left <= tried:
            raise Undecided(asked=tried > 0)
        seconds = self._row_left
        reply, wall = _shared.ask(seconds, self._batch_left, question)
        self._batch_left -= wall
        if reply.answer is None:
            self._row_left = 0.0
            if self._batch_left > 0:  # else it was the batch that took too long
                self._tried[question] = seconds if reply.may_try_again else math.inf
            raise Undecided(asked=question in self._tried)
        self._row_left -= reply.cpu_seconds
        return reply.answer


class Reply(NamedTuple):
    """What came of a question: no answer where it took too long or too much; then, whether more time could help."""

    answer: bool | None
    may_try_again: bool = False
    cpu_seconds: float = 0.0


class WorkerProcess:
    """One worker process, for one thread at a time. Works in any thread: no signals are used on this side.

    Raises `EnvironmentFault` when it cannot be started.
    """

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long-lived as the process that writes it
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gpocli.maths.symbolic"],  # -P: no module of the working directory
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(),
            text=True,
            start_new_session=True,  # Ctrl-C in a terminal is for the run, which ends the worker itself
        )
        # A pipe cannot be read with a time limit on every system, but a queue that a thread fills can.
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="gpo-algebra", daemon=True)
        self._reader.start()
        if self._next(START_SECONDS) != "ready\n":
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            cause = lines[-1] if lines else "it ended without a message"
            self.stop()
            raise EnvironmentFault(
                f"the process that compares formulas did not start: {cause}; check that math-verify is installed "
                "for this Python"
            )

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, seconds: float, function: str, *arguments: Any, wall_seconds: float | None = None) -> Reply | None:
        """What the worker's `function` returns in `seconds` of CPU time; None when the worker died of itself.

        It is killed, and gone, when it neither answers nor gives up within `wall_seconds`.
        """
        wall = max(seconds * WALL, LEAST_WALL) if wall_seconds is None else wall_seconds
        end = time.monotonic() + wall
        try:
            self._send(json.dumps([seconds, wall, function, *arguments]) + "\n")
            line = self._next(wall)
        except BrokenPipeError:
            line = ""
        except BaseException:  # an interrupt: the answer that may still come belongs to no question
            self.stop()
            raise
        if not line:
            self.stop()
            return Reply(None) if time.monotonic() >= end else None
        return Reply(*json.loads(line))

    def stop(self) -> None:
        """Kill the process and wait for its end."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            with contextlib.suppress(OSError):  # what was not sent yet has nowhere to go
                stream.close()  # type: ignore[union-attr]

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._answers.put(line)
        self._answers.put("")

    def _next(self, seconds: float) -> str:
        try:
            return self._answers.get(timeout=seconds)
        except queue.Empty:
            return ""


def _environment() -> dict[str, str]:
    """The environment, in which the worker finds the same gpocli that this process has imported."""
    paths = [str(Path(gpocli.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


class _SharedWorker:
    """The one worker of this process, and what it has answered. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worker: WorkerProcess | None = None
        self._answers: OrderedDict[Question, bool] = OrderedDict()

    def remembered(self, question: Question) -> bool | None:
        return self._answers.get(question)

    def ask(self, seconds: float, wall_seconds: float, question: Question) -> tuple[Reply, float]:
        """The reply, and the seconds of wall time that it took, without the first start of the worker."""
        with self._lock:  # rewards may be called from several threads
            if self._worker is None:
                self._worker = WorkerProcess()
            start = time.monotonic()
            end = start + wall_seconds
            reply = None
            for _ in range(2):  # a worker that died, of memory as it may be, is asked once more
                if not self._worker.is_alive:
                    self._worker.stop()
                    self._worker = WorkerProcess()
                wall = min(max(seconds * WALL, LEAST_WALL), end - time.monotonic())
                reply = self._worker.ask(seconds, *question, wall_seconds=wall) if wall > 0 else Reply(None)
                if reply is not None:
                    break
            reply = reply or Reply(None)
            if reply.answer is not None:
                self._keep(question, reply.answer)
            return reply, time.monotonic() - start

    def _keep(self, question: Question, answer: bool) -> None:
        self._answers[question] = answer
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)

    def stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


_shared = _SharedWorker()
_abandoned: list[_SharedWorker] = []


@atexit.register
def stop_worker() -> None:
    """End the worker process; the next comparison that needs one starts another."""
    _shared.stop()


def _forget_worker() -> None:
    """In a forked child: the parent's worker and lock are not its own, and stay as they are in a list nobody reads."""
    global _shared
    _abandoned.append(_shared)
    _shared = _SharedWorker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_worker)
