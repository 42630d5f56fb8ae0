"""The errors that gpo raises on purpose, each with the exit code of the command line.

`cli/main.py` catches `GpoError` once, prints it as one line on stderr and exits with its code.
Anything else is a bug of gpo and keeps its traceback.
"""

import signal


class GpoError(Exception):
    """A fault that the user can mend; its text says what is wrong, where, and what to write instead."""

    exit_code: int = 1
    is_everywhere: bool = False
    """Whether all processes of a run raise it at the same place, see `everywhere`."""


class SpecError(GpoError, ValueError):
    """The command line, a run spec, a trainer config, a data file or a run directory is wrong."""

    exit_code = 2


class PluginError(GpoError):
    """A plugin, filter or reward is broken, or broke its contract."""

    exit_code = 3


class GuardError(GpoError):
    """A guard stopped the run."""

    exit_code = 4


class EnvironmentFault(GpoError):
    """The machine lacks what the run needs: a package, a device, disk space, a reachable hub."""

    exit_code = 5


class ServerFault(EnvironmentFault):
    """A vLLM server that is no use to the run as it is; a run that was under way can go on from its last step."""


class ServerLost(ServerFault):
    """No answer of a vLLM server, or one that broke off: it may come back."""


class Interrupted(GpoError):
    """The user or the system asked the run to stop.

    `exit_code` is 130 for Ctrl-C and 143 for every other signal, or 75 in its place (what mail systems use for "try
    again later") where the run is to be put into a queue again.
    """

    def __init__(self, text: str, signal_number: int, *, requeue: bool = False) -> None:
        super().__init__(text)
        self.exit_code = 130 if signal_number == signal.SIGINT else 75 if requeue else 143


class ToldElsewhere(GpoError):
    """The fault of another process of the run, with its exit code; without a text where that process says it."""

    def __init__(self, exit_code: int, text: str = "") -> None:
        super().__init__(text)
        self.exit_code = exit_code


def everywhere(error: GpoError, *, is_main: bool) -> GpoError:
    """An error that all processes of a run raise at the same place: its text is the main one's to say."""
    error.is_everywhere = True
    if not is_main:
        error.args = ("",)
    return error


def counted(count: int, noun: str) -> str:
    """`1 group`, `2 groups`, `1,000 groups`: a number as messages have it."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def first_line(error: BaseException) -> str:
    """The first line of an error of another library, to be put into a message: at most 300 characters, no full stop."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".;")[:300]
