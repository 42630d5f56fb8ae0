"""Algebra in bounded wall time, in any thread: asked of a process that runs `symbolic`, with answers remembered."""

import atexit
import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import gpocli
from gpocli.errors import EnvironmentFault
from gpocli.maths.forms import Relation

REMEMBERED = 8192
"""Answers of the worker that are kept for the next time the same is asked."""

START_SECONDS = 60.0
"""How long the worker may take to load what it needs; half a second on an idle machine."""

Question = tuple[Any, ...]


class Undecided(Exception):
    """A comparison would take longer than it may."""


class BoundedAlgebra:
    """Compares expressions for the rows of one batch. Every method raises `Undecided`.

    `row_seconds` and `batch_seconds` bound the time spent on a row and on all rows; starting the worker
    process, once in the life of this process and after each comparison that took too long, comes on top.
    """

    def __init__(self, row_seconds: float, batch_seconds: float) -> None:
        self._row_seconds = row_seconds
        self._batch_left = batch_seconds
        self._row_left = row_seconds
        self._undecided: set[Question] = set()
        self.undecided_rows = 0

    def begin_row(self) -> None:
        """Give the next row its own time."""
        self._row_left = self._row_seconds

    def is_value(self, latex: str) -> bool:
        """Whether `latex` can be read as an expression."""
        return self._ask("is_value", latex)

    def same_value(self, first: str, second: str) -> bool:
        """Whether two expressions are equal wherever both are defined; False when one cannot be read."""
        return self._ask("same_value", first, second)

    def same_relation(self, first: Relation, second: Relation) -> bool:
        """Whether two relations hold for the same values; False when one cannot be read."""
        return self._ask("same_relation", first.sides, first.signs, second.sides, second.signs)

    def _ask(self, *question: Any) -> bool:
        known = _shared.remembered(question)
        if known is not None:
            return known
        seconds = min(self._row_left, self._batch_left)
        # What was slow once is not tried again for each of the other completions of the prompt.
        if question in self._undecided or seconds <= 0:
            raise Undecided
        answer, spent = _shared.ask(seconds, question)
        self._row_left -= spent
        self._batch_left -= spent
        if answer is None:
            self._undecided.add(question)
            raise Undecided
        return answer


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

    def ask(self, seconds: float, function: str, *arguments: Any) -> bool | None:
        """What the worker's `function` returns; None when it gives up or takes longer than `seconds`.

        After it took too long the worker is gone.
        """
        try:
            self._send(json.dumps([seconds, function, *arguments]) + "\n")
            line = self._next(seconds)
        except BrokenPipeError:
            line = ""
        except BaseException:  # an interrupt: the answer that may still come belongs to no question
            self.stop()
            raise
        if not line:
            self.stop()
            return None
        answer: bool | None = json.loads(line)
        return answer

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

    def ask(self, seconds: float, question: Question) -> tuple[bool | None, float]:
        """The answer, None without one in time, and the seconds that it took."""
        with self._lock:  # rewards may be called from several threads
            if self._worker is None or not self._worker.is_alive:
                self.stop()
                self._worker = WorkerProcess()
            start = time.monotonic()
            answer = self._worker.ask(seconds, *question)
            spent = time.monotonic() - start
            if answer is not None:
                self._answers[question] = answer
                if len(self._answers) > REMEMBERED:
                    self._answers.popitem(last=False)
        return answer, spent

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
