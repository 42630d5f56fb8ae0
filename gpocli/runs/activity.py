"""What a run is doing at this moment: written by the run, read by whoever shows it, at a time of their own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Doing:
    """One thing that a run does. `detail` tells how far it is, in words, to whoever asks."""

    what: str
    detail: Callable[[], str] | None = None
    frames: bool = False
    """Whether it is also said of what is done within it, as of an evaluation, which samples and scores."""

    def __str__(self) -> str:
        detail = "" if self.detail is None else self.detail()
        return f"{self.what} {detail}".rstrip()


class Activity:
    """The things that a run does, the innermost last.

    Nothing is counted or drawn until somebody asks, maybe in another thread: a run that nobody looks at pays for
    nothing but the keeping of a tuple.
    """

    def __init__(self) -> None:
        self._doing: tuple[Doing, ...] = ()

    @contextmanager
    def doing(self, what: str, detail: Callable[[], str] | None = None, *, frames: bool = False) -> Iterator[None]:
        """Do something for the time of the context."""
        before = self._doing
        self._doing = (*before, Doing(what, detail, frames))
        try:
            yield
        finally:
            self._doing = before

    def tells(self, detail: Callable[[], str]) -> None:
        """From now on `detail` says how far the innermost thing is; it must be quick, and safe in another thread."""
        if self._doing:
            *outer, last = self._doing
            self._doing = (*outer, Doing(last.what, detail, last.frames))

    @property
    def phase(self) -> str:
        """The innermost thing, without how far it is; empty where nothing is done."""
        return self._doing[-1].what if self._doing else ""

    def __str__(self) -> str:
        """`generating 120/192 ended`, `update 2/4`, `evaluating: scoring`; empty where nothing is done."""
        doing = self._doing
        return ": ".join(str(one) for one in doing if one.frames or one is doing[-1])


def place_of_update(args: Any, iterations: int, micro_batch: int) -> str:
    """`2/4, micro-batch 3/16`: which update of a generation batch the micro-batch number `micro_batch` of a run is of.

    `args` are those of a trainer. What there is one of is not counted.
    """
    accumulation, of_batch = args.gradient_accumulation_steps, args.steps_per_generation * iterations
    here = micro_batch % of_batch
    updates = ("", here // accumulation, -(-of_batch // accumulation))
    parts = [updates, ("micro-batch ", here % accumulation, accumulation)]
    return ", ".join(f"{name}{place + 1}/{count}" for name, place, count in parts if count > 1)
