"""Which progress suits where a run writes to, or is asked for."""

from enum import StrEnum
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from gpocli.display.progress import Progress


class LogFormat(StrEnum):
    """How a run is shown."""

    live, lines, json = "live", "lines", "json"


def open_progress(console: Console, log_format: LogFormat | None = None, *, main_process: bool = True) -> "Progress":
    """The progress of a format; without one live on a terminal, plain lines elsewhere. Nothing in other processes.

    Nothing is live where a cursor cannot be moved.
    """
    # Each is imported when it is asked for: a run that is refused need not wait for it.
    if not main_process:
        from gpocli.display.progress import Progress

        return Progress()
    if log_format == LogFormat.json:
        from gpocli.display.json_lines import JsonLines

        return JsonLines(console)
    if log_format != LogFormat.lines and console.is_terminal and not console.is_dumb_terminal:
        from gpocli.display.live import LiveDisplay

        return LiveDisplay(console)
    from gpocli.display.lines import PlainLines

    return PlainLines(console)
