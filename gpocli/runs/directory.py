"""What a run leaves on disk, and who may write there.

runs/<name>/
    spec.yaml        the resolved run spec, written before anything loads
    run.json         how the run was made and what became of it, see `gpocli.runs.manifest`
    metrics.jsonl    one JSON object a log
    candidates/      every candidate of every step, in parquet files
    checkpoints/     checkpoint-<step>/, as transformers writes them, and what `gpocli.runs.checkpoints` says
    model/           the final model, which `from_pretrained` loads
    run.lock         held by the process that writes here
    error.log        the traceback of what a library raised
"""

import itertools
import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.runs.checkpoints import MANIFEST, is_sealed, latest_whole, logged_until, step_of
from gpocli.runs.locks import lock
from gpocli.runs.manifest import NAME as _MANIFEST
from gpocli.runs.manifest import Manifest
from gpocli.runs.metrics import Kind, append_metrics, missing_lines, read_metrics, rewind_metrics
from gpocli.runs.records import CandidateRecord, CandidateWriter, rewind_candidates
from gpocli.runs.writing import writing

_LOCK, _SPEC, _CANDIDATES, _CHECKPOINTS = "run.lock", "spec.yaml", "candidates", "checkpoints"
_OF_A_START = {_LOCK, *(name + end for name in (_SPEC, _MANIFEST) for end in ("", ".part")), _CANDIDATES, _CHECKPOINTS}
"""What a run has before its first step."""


class RunDirectory:
    """The folder of one run.

    `create`, `create_named`, `claim` and `open_for_resume` claim it for this process until `close` or its end; they
    raise SpecError. Processes other than the main one make `RunDirectory(path)`, which claims nothing.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).expanduser()
        self.spec_path = self.path / _SPEC
        self.metrics_path = self.path / "metrics.jsonl"
        self.candidates_path = self.path / _CANDIDATES
        self.checkpoints_path = self.path / _CHECKPOINTS
        self.model_path = self.path / "model"
        self.manifest = Manifest(self.path)
        self._write_candidates = CandidateWriter(self.candidates_path)
        self._descriptor: int | None = None
        self._is_new = False

    @classmethod
    def create(cls, path: Path | str) -> "RunDirectory":
        """Make and claim the run directory `path`.

        An empty folder is taken, and one where a run stopped before it left anything but its spec. Anything else
        that is there is refused, and of two processes at once only one gets it.
        """
        run = cls(path)
        if os.path.lexists(run.path) and not run.path.is_dir():
            raise SpecError(f"'{run.path}' is {_what_it_is(run.path)}, not a folder; name another with --out")
        try:
            run._is_new = not run.path.is_dir()
            run.path.mkdir(parents=True, exist_ok=True)
            run._refuse_used()
            run._claim()
            run._refuse_used()  # again: another process may have been here before the claim
            run.candidates_path.mkdir(exist_ok=True)
            run.checkpoints_path.mkdir(exist_ok=True)
        except OSError as error:
            raise SpecError(_cannot_make(run.path, error)) from error
        return run

    @classmethod
    def create_named(cls, parent: Path | str, stem: str) -> "RunDirectory":
        """Make and claim a new folder in `parent` that is called `stem`, or `stem-2`, `stem-3`, ... when taken."""
        for number in itertools.count(1):
            path = Path(parent) / (stem if number == 1 else f"{stem}-{number}")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.mkdir()
            except FileExistsError:
                if path.parent.is_dir():
                    continue
                raise SpecError(f"'{parent}' is a file, not a folder; name a run directory with --out") from None
            except OSError as error:
                raise SpecError(_cannot_make(path, error)) from error
            run = cls.create(path)
            run._is_new = True
            return run
        raise AssertionError("unreachable")

    @classmethod
    def find(cls, path: Path | str) -> "RunDirectory":
        """The directory of a run that was begun, not claimed. Raises SpecError."""
        run = cls(path)
        if not run.path.is_dir():
            raise SpecError(f"no run directory '{path}' to resume; check the path")
        if not run.spec_path.is_file():
            raise SpecError(f"'{path}' is no run directory (it has no {_SPEC}); check the path")
        return run

    @classmethod
    def claim(cls, path: Path | str) -> "RunDirectory":
        """Claim a run as it is, be it a broken one. Raises SpecError where it is going on."""
        run = cls(path)
        run._claim()
        return run

    @classmethod
    def open_for_resume(cls, path: Path | str) -> "RunDirectory":
        """Claim the directory of a run. Nothing changes there yet: see `rewind`."""
        return cls.claim(cls.find(path).path)

    def write_spec(self, text: str) -> None:
        """Write the resolved spec; a reader never sees half of it. Raises EnvironmentFault."""
        part = self.spec_path.with_name(_SPEC + ".part")
        with writing(self.spec_path):
            part.write_text(text, encoding="utf-8", newline="\n")
            os.replace(part, self.spec_path)

    def append_metrics(self, step: int, kind: Kind, logs: Mapping[str, Any]) -> None:
        """Add a line to the metrics. Raises EnvironmentFault."""
        self.check_that_it_stands()
        append_metrics(self.metrics_path, step, kind, logs)

    def append_candidates(self, records: Sequence[CandidateRecord]) -> None:
        """Add the candidates of a generation batch. Raises EnvironmentFault."""
        self.check_that_it_stands()
        self._write_candidates(records)

    def read_metrics(self) -> list[dict[str, Any]]:
        """The lines of the metrics so far, in order."""
        return read_metrics(self.metrics_path)

    def latest_checkpoint(self) -> Path | None:
        """The whole checkpoint with the highest step; None when there is none."""
        return latest_whole(self.checkpoints_path)[0]

    def checkpoint_to_resume(self) -> tuple[Path, list[str]]:
        """The same, and a remark on each later one, which is damaged. Raises SpecError when none is whole."""
        checkpoint, damaged = latest_whole(self.checkpoints_path)
        remarks = [f"{name} is damaged: {fault}" for name, fault in damaged.items()]
        if checkpoint is None:
            faults = f" ({'; '.join(remarks)})" if remarks else ""
            raise SpecError(
                f"'{self.path}' has no whole checkpoint to resume from{faults}; start anew with another --out"
            )
        return checkpoint, [f"{remark}; going on from {checkpoint.name}" for remark in remarks]

    def has_steps(self) -> bool:
        """Whether the run took a step that it recorded or saved, be it whole or not."""
        return any(self.checkpoints_path.glob("checkpoint-*")) or any(line["step"] > 0 for line in self.read_metrics())

    def check_that_it_stands(self) -> None:
        """Raise EnvironmentFault when the directory that this process has claimed was removed or replaced."""
        try:
            if self._descriptor is None or os.path.samestat(os.fstat(self._descriptor), os.stat(self.path / _LOCK)):
                return
        except OSError:
            pass
        raise EnvironmentFault(f"run directory '{self.path}' was removed while the run was under way; start anew")

    def has_model_of(self, checkpoint: Path) -> bool:
        """Whether the final model is there, whole, and no older than `checkpoint`."""
        last_file = self.model_path / "training_args.bin"  # in the order that transformers writes them
        return last_file.is_file() and last_file.stat().st_mtime >= (checkpoint / MANIFEST).stat().st_mtime

    def may_begin_again(self, save_every: int | None) -> bool:
        """Whether a run that saves every so many steps (None: at its end) has nothing yet that it could go on from."""
        if self.model_path.exists() or any(map(is_sealed, self.checkpoints_path.glob("checkpoint-*"))):
            return False
        done = max((line["step"] for line in self.read_metrics()), default=0)
        return save_every is None or done <= save_every  # later than that a checkpoint was there, and was removed

    def hole_up_to(self, checkpoint: Path) -> str | None:
        """What the metrics lack of what was logged before a checkpoint, None where they are whole."""
        missing = missing_lines(self.read_metrics(), logged_until(checkpoint))
        if not missing:
            return None
        steps = sorted({line["step"] for line in missing})
        of_steps = f"step {steps[0]}" if len(steps) == 1 else f"{len(steps)} steps between {steps[0]} and {steps[-1]}"
        return f"{self.metrics_path.name} lacks lines of {of_steps}: they are put back from {checkpoint.name}"

    def rewind(self, step: int) -> None:
        """Take out metrics and candidates of all steps after `step`, which a resumed run will make again.

        Raises EnvironmentFault.
        """
        rewind_metrics(self.metrics_path, step)
        rewind_candidates(self.candidates_path, step)

    def rewind_to(self, checkpoint: Path) -> None:
        """The same for the step of a checkpoint; fills holes in the metrics before it."""
        rewind_metrics(self.metrics_path, step_of(checkpoint), logged_until(checkpoint))
        rewind_candidates(self.candidates_path, step_of(checkpoint))

    def discard(self) -> None:
        """Remove the directory of a run that took no step, unless it holds more than such a run makes itself.

        A folder that was there before is emptied, and stays.
        """
        own = _OF_A_START | {self.metrics_path.name}
        if not self.path.is_dir():  # removed while the run was under way
            return
        if self.has_steps() or {entry.name for entry in self.path.iterdir()} - own:
            return
        for folder in (self.candidates_path, self.checkpoints_path):
            shutil.rmtree(folder, ignore_errors=True)
        for entry in self.path.iterdir():
            entry.unlink()
        if self._is_new:
            self.path.rmdir()

    def close(self) -> None:
        """Give the claim up."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _refuse_used(self) -> None:
        names = {entry.name for entry in self.path.iterdir()}
        if _LOCK in names or not names:
            left = names - _OF_A_START
            inside = [folder for folder in (self.candidates_path, self.checkpoints_path) if folder.is_dir()]
            if left or any(any(folder.iterdir()) for folder in inside):
                raise SpecError(
                    f"run directory '{self.path}' is already used; go on with that run with --resume, or name "
                    "another with --out"
                )
            return
        raise SpecError(
            f"'{self.path}' holds files that are not a run's ('{min(names)}'); name another with --out, or an "
            "earlier run with --resume"
        )

    def _claim(self) -> None:
        try:
            descriptor = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise SpecError(f"cannot write in '{self.path}' ({error.strerror}); name another with --out") from error
        if not lock(descriptor):
            os.close(descriptor)
            raise SpecError(f"run directory '{self.path}' is in use by another process; name another with --out")
        self._descriptor = descriptor


def run_stem(*parts: str, now: time.struct_time | None = None) -> str:
    """A name for a run from its method, its filters and the time: `gfpo-length-20261130-193000`."""
    words = [re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts]
    stamp = time.strftime("%Y%m%d-%H%M%S", now or time.localtime())
    return "-".join([*filter(None, words), stamp])


def _cannot_make(path: Path, error: OSError) -> str:
    return f"cannot make the run directory '{path}' ({error.strerror}); name another with --out"


def _what_it_is(path: Path) -> str:
    return "a file" if path.exists() else "a link that leads nowhere"
