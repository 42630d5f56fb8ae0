"""What becomes of an attempt at a run, written into its manifest when it ends, however it ends."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from gpocli.errors import EnvironmentFault, GpoError, GuardError, Interrupted, first_line
from gpocli.runs.manifest import Manifest, State
from gpocli.training.faults import Fault, Leave, is_loss
from gpocli.training.loading_signals import Stopped


@contextmanager
def recorded(manifest: Manifest, heard: Callable[[], Fault | None]) -> Iterator[None]:
    """Write how the attempt inside ends; `heard` is the fault of another process that ended it, if one did.

    A disk that takes no more says so by itself: what ended the run matters more.
    """
    try:
        yield
    except BaseException as error:
        with suppress(EnvironmentFault):
            manifest.end(*end_of(error, heard()))
        raise
    with suppress(EnvironmentFault):
        manifest.end("done", 0, None)


def end_of(error: BaseException, heard: Fault | None = None) -> tuple[State, int, str | None]:
    """The state, exit code and reason of an attempt that an error ended."""
    if isinstance(error, Leave) and heard is not None:
        return "failed", heard.code, heard.text or None
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", 130, signal.SIGINT.name
    if isinstance(error, Stopped):
        return "interrupted", 143, signal.Signals(error.number).name
    if isinstance(error, GpoError):
        state: State = "failed"
        if isinstance(error, Interrupted):
            state = "interrupted"
        elif isinstance(error, GuardError):
            state = "stopped"
        return state, error.exit_code, str(error) or None
    return "failed", EnvironmentFault.exit_code if is_loss(error) else 1, f"{type(error).__name__}: {first_line(error)}"
