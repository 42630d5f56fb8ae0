"""Which progress suits where a run writes to."""

from rich.console import Console

from gpocli.display.lines import PlainLines
from gpocli.display.progress import Progress


def open_progress(console: Console, *, main_process: bool = True) -> Progress:
    """The progress that suits `console`: live on a terminal, plain lines elsewhere, nothing in other processes."""
    if not main_process:
        return Progress()
    if console.is_terminal and not console.is_dumb_terminal:
        from gpocli.display.live import LiveDisplay  # what a run that is refused need not wait for

        return LiveDisplay(console)
    return PlainLines(console)
