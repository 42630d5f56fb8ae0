"""One JSON object a line for each thing that happens in a run: for machines."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from gpocli.display import sample
from gpocli.display.heartbeat import Heartbeat
from gpocli.display.progress import ConsoleProgress
from gpocli.runs.activity import Activity
from gpocli.runs.metrics import plain
from gpocli.runs.records import CandidateRecord
from gpocli.runs.summary import RunSummary

QUIET = 10.0
"""Seconds without a line after which one says what the run does."""


class JsonLines(ConsoleProgress):
    """Each line is an object with `event` and `time` (seconds since 1970) and what docs/running.md has of the event."""

    def __init__(self, console: Console, quiet: float = QUIET) -> None:
        super().__init__(console)
        self._records: Sequence[CandidateRecord] = ()
        self._heartbeat = Heartbeat(quiet, self._tell_activity)

    def __exit__(self, *error: object) -> None:
        self._heartbeat.stop()

    def watch(self, activity: Activity, description: str = "") -> None:
        super().watch(activity, description)
        self._heartbeat.start()
        self._tell_activity()

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        super().start(total_steps, description, first_step)
        self._tell("start", description=description, steps=total_steps, first_step=first_step)

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        super().step(step, logs)
        if not logs:
            self._tell("step", step=step, steps=self.pace.total, seconds_left=self.pace.left())
            return
        self._tell("metrics", step=step, figures=logs)
        if record := sample.pick(self._records, step):
            told = {name: value for name, value in asdict(record).items() if name != "tokens"}
            self._tell("sample", **{**told, "step": step})

    def candidates(self, records: Sequence[CandidateRecord]) -> None:
        self._records = records

    def eval(self, logs: Mapping[str, Any]) -> None:
        self._tell("eval", step=self.pace.step, figures=logs)

    def note(self, text: str) -> None:
        self._tell("note", text=text)

    def finish(self, summary: RunSummary | None) -> None:
        figures = {} if summary is None else asdict(summary)
        self._tell("end", summary=figures, lines=[] if summary is None else summary.lines())

    def interrupted(self) -> None:
        self._tell("interrupted", step=self.pace.step, steps=self.pace.total)

    def _tell_activity(self) -> None:
        if doing := str(self.activity):
            self._tell("activity", phase=self.activity.phase, doing=doing, step=self.pace.step)

    def _tell(self, event: str, **what: Any) -> None:
        self._heartbeat.put_off()
        tell(self.console, event, **what)


def tell(console: Console, event: str, **what: Any) -> None:
    """Write the line of an event. Numbers that JSON cannot hold are null, as in metrics.jsonl."""
    line = json.dumps({"event": event, "time": round(time.time(), 3), **plain(what)}, allow_nan=False)
    console.file.write(line + "\n")
    console.file.flush()
