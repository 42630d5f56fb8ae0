"""How a run was made and what became of it: `run.json`, one JSON object, which is replaced whole at each change.

{"format": 1, "state": STATE, "attempts": [ATTEMPT, ...]}     the first attempt began the run, each other one resumed it

ATTEMPT, whose facts the training knows (`gpocli.training.provenance`), has of this file:
    began, ended     "2026-12-03T11:58:10Z"; `ended` is null while it runs and for good where it was killed
    state            running | done | stopped (by a guard) | interrupted (by a signal) | failed | killed
    exit_code        that of `gpo train`, and
    reason           what it said; null while it runs, and where there is nothing to say
"""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from gpocli.runs.writing import writing

NAME = "run.json"
FORMAT = 1

State = Literal["running", "done", "stopped", "interrupted", "failed", "killed"]
"""Where an attempt is; a run is where its last one is. `running` without a process that holds the lock is `killed`."""


class Manifest:
    """The manifest of the run in a folder, for the one process that has claimed it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME

    def begin(self, facts: Mapping[str, Any]) -> None:
        """Add an attempt, which runs from now on, with `facts` in its record. Raises EnvironmentFault."""
        attempts = read_manifest(self.path).get("attempts", [])
        for earlier in attempts:
            if earlier.get("state") == "running":  # it could not say how it ended
                earlier["state"] = "killed"
        began = {"began": now(), "ended": None, "state": "running", "exit_code": None, "reason": None}
        self._write([*attempts, began | dict(facts)])

    def note(self, facts: Mapping[str, Any]) -> None:
        """Add to the record of the attempt under way. Raises EnvironmentFault."""
        attempts = read_manifest(self.path).get("attempts", [])
        if attempts:
            self._write([*attempts[:-1], attempts[-1] | dict(facts)])

    def end(self, state: State, exit_code: int, reason: str | None) -> None:
        """Note how the attempt under way ended. Raises EnvironmentFault."""
        self.note({"ended": now(), "state": state, "exit_code": exit_code, "reason": reason})

    def _write(self, attempts: list[dict[str, Any]]) -> None:
        value = {"format": FORMAT, "state": attempts[-1]["state"], "attempts": attempts}
        part = self.path.with_name(f"{NAME}.part")
        with writing(self.path):
            part.write_text(json.dumps(value, indent=1) + "\n", encoding="ascii", newline="\n")
            os.replace(part, self.path)


def read_manifest(path: Path) -> dict[str, Any]:
    """What stands in `run.json`; empty where there is none that can be read."""
    try:
        read = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    attempts = read.get("attempts") if isinstance(read, dict) else None
    is_sound = isinstance(attempts, list) and all(isinstance(one, dict) for one in attempts)
    return read if is_sound else {}


def now() -> str:
    """The time in UTC to the second, as files of a run have it: `2026-12-03T11:58:10Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
