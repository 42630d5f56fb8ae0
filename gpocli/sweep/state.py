"""Where each run of a sweep is, and the command that brings it to its end."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gpocli.runs.checkpoints import latest_whole
from gpocli.runs.directory import RunDirectory
from gpocli.sweep.plan import PlannedRun

State = Literal["new", "done", "running", "begun", "lost"]
"""`begun`: to be resumed; `lost`: it took steps but left no checkpoint, so it begins anew beside what it left."""


@dataclass(frozen=True, slots=True)
class Command:
    """The arguments of `gpo` for a run."""

    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return shlex.join(["gpo", *self.arguments])

    @property
    def process(self) -> list[str]:
        """The command of a process in this environment."""
        return [sys.executable, "-m", "gpocli", *self.arguments]


def state_of(planned: PlannedRun) -> State:
    """Where a run is, from what it left on disk."""
    run = planned.run
    if not run.spec_path.is_file():
        return "new"
    state = run.state
    if state in ("done", "running"):
        return "running" if state == "running" else "done"
    directory = RunDirectory(run.path)
    if not directory.has_steps() or latest_whole(run.checkpoints_path)[0] is not None:
        return "begun"
    return "lost"


def command_of(planned: PlannedRun, state: State) -> Command:
    """What starts a run, or goes on with it."""
    name = planned.spec.algorithm.type
    if state == "begun":
        return Command(("train", name, "--resume", "--out", str(planned.run.path)))
    return Command(("train", name, str(planned.spec_file)))


def set_aside(planned: PlannedRun) -> Path:
    """Rename the directory of a run that is lost, so that it can begin anew; returns its new place."""
    path, number = planned.run.path, 1
    while (aside := path.with_name(f"{path.name}.lost-{number}")).exists():
        number += 1
    path.rename(aside)
    return aside
