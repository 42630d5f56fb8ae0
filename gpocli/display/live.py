"""The live display of a run: `RunView` redrawn in place on a terminal."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.live import Live

from gpocli.display.progress import printable
from gpocli.display.run_view import RunView
from gpocli.runs.summary import RunSummary


class LiveDisplay:
    """Progress on a terminal that can move the cursor. What others print meanwhile appears above it."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.view = RunView()
        self._live = Live(self.view, console=console, refresh_per_second=4, vertical_overflow="crop")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        self.view.begin(total_steps, description, first_step)
        self._live.start()

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        self.view.add(step, logs)

    def eval(self, logs: Mapping[str, Any]) -> None:
        self.view.add_eval(logs)

    def note(self, text: str) -> None:
        self.console.print(printable(text, self.console), markup=False, emoji=False, highlight=False)

    def finish(self, summary: RunSummary | None) -> None:
        self._live.stop()
        for line in summary.lines() if summary else []:
            self.note(line)

    def interrupted(self) -> None:
        self._live.stop()
        self.note(f"interrupted after step {self.view.step} of {self.view.total}")
