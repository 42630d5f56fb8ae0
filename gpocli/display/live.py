"""The live display of a run: `RunView` redrawn in place on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.live import Live

from gpocli.display.progress import ConsoleProgress
from gpocli.display.run_view import RunView
from gpocli.runs.activity import Activity
from gpocli.runs.records import CandidateRecord
from gpocli.runs.summary import RunSummary


class LiveDisplay(ConsoleProgress):
    """Progress on a terminal that can move the cursor. What others print meanwhile appears above it.

    It is there from the first thing that is watched; that of a run which never begins leaves nothing behind.
    """

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self.view = RunView("", self.pace)
        self._live = Live(console=console, refresh_per_second=4, vertical_overflow="crop", transient=True)

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def watch(self, activity: Activity, description: str = "") -> None:
        super().watch(activity, description)
        self.view.activity = activity
        self.view.description = description or self.view.description
        self._live.update(self.view)
        self._live.start(refresh=True)

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        super().start(total_steps, description, first_step)
        self.view = RunView(description, self.pace, self.activity)
        self._live.transient = False
        self._live.update(self.view)
        self._live.start()

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        super().step(step, logs)
        self.view.add(logs)

    def candidates(self, records: Sequence[CandidateRecord]) -> None:
        self.view.add_candidates(records)

    def eval(self, logs: Mapping[str, Any]) -> None:
        self.view.add_eval(logs)

    def finish(self, summary: RunSummary | None) -> None:
        self._end()
        super().finish(summary)

    def interrupted(self) -> None:
        self._end()
        super().interrupted()

    def _end(self) -> None:
        self.view.end()
        self._live.stop()
