"""The one place for what TRL, transformers, accelerate and torch raise while a run is built and trains."""

import os
import stat
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gpocli.errors import EnvironmentFault, GpoError, first_line
from gpocli.training.agreement import versions
from gpocli.training.faults import Leave
from gpocli.training.loading_signals import Stopped

LOG = "error.log"
_LARGE = 1_000_000
"""Bytes of the log of the user, above which it is begun anew."""
_CURES: Mapping[str, str] = {
    "OutOfMemoryError": "write a smaller batch.micro_batch or sampling.max_tokens, or optim.gradient_checkpointing: "
    "true",
}
"""What to write, by the name of the error of a library."""


class Course:
    """How far a run has come, for the words of what ends it."""

    def __init__(self) -> None:
        self.doing = "building the trainer"
        self.way_on: Callable[[], str] = str
        """What the user can do next; empty before there is anything to go on with."""


@contextmanager
def boundary(log: Callable[[], Path], *, passes: Callable[[Exception], bool]) -> Iterator[Course]:
    """Turn what no gpo error is into an `EnvironmentFault` of one line, and write its traceback to `log()`.

    `passes` are errors that somebody further up knows.
    """
    course = Course()
    try:
        yield course
    except GpoError:
        raise
    except (KeyboardInterrupt, Leave, Stopped):
        raise
    except BaseException as error:  # what ends the program, as SystemExit does, would take the exit code with it
        if isinstance(error, Exception) and passes(error):
            raise
        raise EnvironmentFault(_words(error, course, _written(error, log))) from error


def _words(error: BaseException, course: Course, log: Path | None) -> str:
    name = type(error).__name__
    text = f"{course.doing} failed ({name}: {first_line(error)})"
    parts = [text, _CURES.get(name), log and f"the traceback is in {log}", course.way_on()]
    return "; ".join(str(part) for part in parts if part)


def _written(error: BaseException, log: Callable[[], Path]) -> Path | None:
    """The log with the traceback at its end; None where it cannot be written."""
    about = ", ".join(f"{name} {version}" for name, version in versions().items())
    text = "".join(traceback.format_exception(error))
    try:
        path = log()
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} ({about})\n{text}\n")
    except OSError:
        return None
    return path


def log_of(directory: Path, rank: int, *, stays: bool) -> Path:
    """Where a process writes a traceback: in the run directory, or in the one of the user where that does not stay."""
    if stays and directory.is_dir():
        return directory / (LOG if rank == 0 else LOG.replace(".", f"-{rank}."))
    path = Path(tempfile.gettempdir(), f"gpo-errors-{os.getuid()}.log")
    return path if _is_own(path) else _new_log()


def _is_own(path: Path) -> bool:
    """Whether a file is this user's to write on: made where there is none, begun anew where it has grown large."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return False
    try:
        found = os.fstat(descriptor)
        is_own = found.st_uid == os.getuid() and stat.S_ISREG(found.st_mode)
        if is_own and found.st_size > _LARGE:
            os.truncate(descriptor, 0)
    finally:
        os.close(descriptor)
    return is_own


def _new_log() -> Path:
    descriptor, name = tempfile.mkstemp(prefix="gpo-", suffix=".log")
    os.close(descriptor)
    return Path(name)
