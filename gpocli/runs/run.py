"""A run directory as one object, for whoever looks at a run: begun, going on, done or broken. `docs/runs.md`."""

import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gpocli.errors import SpecError
from gpocli.runs.best import Best, best_checkpoint
from gpocli.runs.checkpoints import step_of
from gpocli.runs.directory import RunDirectory
from gpocli.runs.groups import GroupFiles
from gpocli.runs.locks import is_locked
from gpocli.runs.manifest import NAME as MANIFEST
from gpocli.runs.manifest import read_manifest
from gpocli.runs.metrics import read_metrics
from gpocli.runs.written_spec import read_written_spec

if TYPE_CHECKING:
    from gpocli.spec import RunSpec

State = Literal["running", "done", "stopped", "interrupted", "failed", "killed", "broken"]
"""Where a run is: that of its manifest; `broken`: its spec cannot be read."""

_TOLD: dict[str, State] = {
    "done": "done",
    "stopped": "stopped",
    "interrupted": "interrupted",
    "failed": "failed",
    "killed": "killed",
}
_TAIL = 1 << 16
_SIGNS = ("spec.yaml", "run.lock", MANIFEST)


class Run:
    """What a run left so far. Nothing is read before it is asked for, and nothing is written or claimed."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).expanduser()
        directory = RunDirectory(self.path)
        self.spec_path, self.metrics_path = directory.spec_path, directory.metrics_path
        self.checkpoints_path = directory.checkpoints_path
        self.evaluations_path = self.path / "evaluations"
        self.model_path = directory.model_path
        """The folder of the final model, which is there once the run is done (see `has_model`)."""
        self.candidates = GroupFiles(directory.candidates_path)

    @classmethod
    def find(cls, path: Path | str) -> "Run":
        """The run in `path`. Raises SpecError when there is none."""
        run = cls(path)
        if not run.path.is_dir():
            raise SpecError(f"no run directory '{path}'; check the path, or see gpo runs list")
        if not is_run(run.path):
            raise SpecError(f"'{path}' is no run directory (it has no spec.yaml); check the path")
        return run

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.path.resolve().name

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Every setting of the run as plain values, section by section. Raises SpecError."""
        return read_written_spec(self.spec_path)

    @cached_property
    def outline(self) -> dict[str, Any]:
        """The sections that a list of runs tells of, read faster than all of them. Raises SpecError."""
        return read_written_spec(self.spec_path, ("algorithm", "model", "run"))

    @cached_property
    def spec(self) -> "RunSpec":
        """The spec of the run, checked, with the plugins that it names. Raises SpecError."""
        from gpocli.spec.load import load_spec

        if not self.spec_path.is_file():
            raise SpecError(f"'{self.path}' is no run directory (it has no {self.spec_path.name}); check the path")
        return load_spec([self.spec_path]).spec

    @property
    def manifest(self) -> dict[str, Any]:
        """How the run was made and what became of it (see `gpocli.runs.manifest`); empty where there is none."""
        return read_manifest(self.path / MANIFEST)

    def metrics(self) -> list[dict[str, Any]]:
        """All whole lines of the metrics so far."""
        return read_metrics(self.metrics_path)

    @cached_property
    def last_metrics(self) -> list[dict[str, Any]]:
        """The last whole lines of the metrics, the newest first, down to one that tells of completions.

        Those before are not read.
        """
        try:
            with self.metrics_path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
                return list(_newest(file.read()))
        except OSError:
            return []

    @property
    def checkpoints(self) -> list[Path]:
        """The checkpoints that can be resumed from, whole or not, in the order of their steps."""
        found = self.checkpoints_path.glob("checkpoint-*") if self.checkpoints_path.is_dir() else ()
        return sorted((one for one in found if one.name[11:].isdigit()), key=step_of)

    @property
    def best(self) -> Best | None:
        """The checkpoint that the run's own evaluations found to be the best, if it was told by which metric.

        Raises SpecError where the spec cannot be read.
        """
        return best_checkpoint(self.checkpoints, self.settings)

    @property
    def evaluations(self) -> list[Path]:
        """The folders of evaluations that were made of it afterwards, be they done or not."""
        return sorted(file.parent for file in self.evaluations_path.glob("*/evaluation.json"))

    @property
    def has_model(self) -> bool:
        """Whether the final model is there, whole."""
        return (self.model_path / "training_args.bin").is_file()  # the last file that is written

    @property
    def is_running(self) -> bool:
        """Whether a process writes here at this moment, as far as locks tell: one on another machine may not."""
        return is_locked(self.path / "run.lock")

    @property
    def state(self) -> State:
        """Where the run is. Without a manifest, one that ended before its last step counts as stopped.

        One that was killed when its model was whole, with nothing left to do but to say so, is done.
        """
        if self.is_running:
            return "running"
        try:
            steps = self.outline.get("run", {}).get("steps")
        except SpecError:
            return "broken"
        told = str(self.manifest.get("state"))
        if told in _TOLD and told != "running":
            return _TOLD[told]
        left = _state_of(self.last_metrics, steps, has_model=self.has_model)
        return "killed" if told == "running" and left != "done" else left

    def size(self) -> int:
        """Bytes of all its files."""
        return _size(str(self.path))


def is_run(path: Path) -> bool:
    """Whether a folder is a run directory, be it a broken one."""
    return any((path / sign).is_file() for sign in _SIGNS)


def _state_of(newest: list[dict[str, Any]], steps: int | None, *, has_model: bool) -> State:
    if not newest or newest[0].get("kind") != "end":
        return "interrupted"
    if steps is not None and newest[0]["step"] < steps:
        return "stopped"
    return "done" if has_model else "interrupted"


def _newest(raw: bytes) -> Iterator[dict[str, Any]]:
    for text in reversed(raw.splitlines()):
        try:
            line = json.loads(text)
        except ValueError:  # cut where the reading began, or by a crash
            continue
        if isinstance(line, dict) and isinstance(line.get("step"), int):
            yield line
            if "reward" in line:
                return


def _size(folder: str) -> int:
    total = 0
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                total += _size(entry.path) if is_folder else entry.stat(follow_symlinks=False).st_size
    except OSError:  # removed meanwhile
        pass
    return total
