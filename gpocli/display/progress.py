"""What is told of a run while it goes on; those who show it inherit from here."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from rich.console import Console

from gpocli.display.pace import Pace
from gpocli.runs.activity import Activity
from gpocli.runs.records import CandidateRecord
from gpocli.runs.summary import RunSummary


class Progress:
    """Shows nothing: for the processes of a run that are not the main one.

    Used as a context manager, so that the terminal is whole again whatever happens. `logs` are a trainer's; any key
    may be missing, None or NaN. Steps count from 1 and are optimizer steps.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the terminal as it was found."""

    def watch(self, activity: Activity, description: str = "") -> None:
        """From now on `activity` tells what the run does, be it loading or training."""

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        """Training begins; `first_step` steps were done before, by the run that is gone on with."""

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        """Step `step` is done; `logs` is empty when nothing was logged for it."""

    def candidates(self, records: Sequence[CandidateRecord]) -> None:
        """A generation batch is sampled and scored, before the step that it is made for is done."""

    def eval(self, logs: Mapping[str, Any]) -> None:
        """An evaluation is done; its keys start with `eval_`."""

    def note(self, text: str) -> None:
        """A line for the user, apart from the figures."""

    def finish(self, summary: RunSummary | None) -> None:
        """Training ended by itself, and the model is saved."""

    def interrupted(self) -> None:
        """Training was stopped before its end."""


class ConsoleProgress(Progress):
    """Keeps where a run is, and writes lines on a console."""

    soft_wrap = False
    """Whether a line that is too long is left to the terminal to break."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.pace = Pace()
        self.activity = Activity()

    def watch(self, activity: Activity, description: str = "") -> None:
        self.activity = activity

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        self.pace = Pace(total_steps, first_step)

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        self.pace.tick(step)

    def note(self, text: str) -> None:
        shown = text.encode(self.console.encoding, "backslashreplace").decode(self.console.encoding)
        self.console.print(shown, markup=False, emoji=False, highlight=False, soft_wrap=self.soft_wrap)

    def finish(self, summary: RunSummary | None) -> None:
        for line in summary.lines() if summary else []:
            self.note(line)

    def interrupted(self) -> None:
        self.note(f"interrupted after step {self.pace.step} of {self.pace.total}")
