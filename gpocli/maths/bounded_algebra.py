"""Algebra in bounded wall time, in any thread, with answers remembered."""

import atexit
import os
import threading
import time
from collections import OrderedDict
from typing import Any

from gpocli.maths.forms import Relation
from gpocli.maths.worker_process import WorkerProcess

REMEMBERED = 8192
"""Answers of the worker that are kept for the next time the same is asked."""

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
        if question in self._undecided or seconds <= 0:
            raise Undecided
        answer, spent = _shared.ask(seconds, question)
        self._row_left -= spent
        self._batch_left -= spent
        if answer is None:
            self._undecided.add(question)
            raise Undecided
        return answer


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
        with self._lock:
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


def stop_worker() -> None:
    """End the worker process; the next comparison that needs one starts another."""
    _shared.stop()


def _forget_worker() -> None:
    """In a forked child: the parent's worker and lock are not its own."""
    global _shared
    _abandoned.append(_shared)
    _shared = _SharedWorker()


_abandoned: list[_SharedWorker] = []
atexit.register(stop_worker)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_worker)
