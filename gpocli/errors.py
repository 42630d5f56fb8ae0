"""The errors that gpo raises on purpose, each with the exit code of the command line.

`cli/main.py` catches `GpoError` once, prints it as one line on stderr and exits with its code.
Anything else is a bug of gpo and keeps its traceback.
"""


class GpoError(Exception):
    """A fault that the user can mend; its text says what is wrong, where, and what to write instead."""

    exit_code: int = 1


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


class Interrupted(GpoError):
    """The user or the system asked the run to stop; `exit_code` is 128 plus the signal's number."""

    def __init__(self, text: str, signal_number: int) -> None:
        super().__init__(text)
        self.exit_code = 128 + signal_number


def counted(count: int, noun: str) -> str:
    """`1 group`, `2 groups`, `1,000 groups`: a number as messages have it."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def first_line(error: BaseException) -> str:
    """The first line of an error of another library, to be put into a message: at most 300 characters, no full stop."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".;")[:300]
