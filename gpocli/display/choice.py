"""Which progress suits where a run writes to."""

from rich.console import Console

from gpocli.display.lines import PlainLines
from gpocli.display.live import LiveDisplay
from gpocli.display.progress import Progress


def open_progress(console: Console, *, main_process: bool = True) -> Progress:
    """The progress that suits `console`: live on a terminal, plain lines elsewhere, nothing in other processes."""
    if not main_process:
        return Progress()
    can_move_the_cursor = console.is_terminal and not console.is_dumb_terminal
    return LiveDisplay(console) if can_move_the_cursor else PlainLines(console)
