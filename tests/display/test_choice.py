"""Live on a terminal, lines elsewhere, nothing from other processes."""

import io

from rich.console import Console

from gpocli.display.choice import open_progress
from gpocli.display.lines import PlainLines
from gpocli.display.live import LiveDisplay
from gpocli.display.progress import Progress


def console(**options):
    return Console(file=io.StringIO(), **options)


def test_progress_suits_the_console(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(open_progress(console(force_terminal=True)), LiveDisplay)
    assert isinstance(open_progress(console()), PlainLines)
    assert type(open_progress(console(force_terminal=True), main_process=False)) is Progress
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(open_progress(console(force_terminal=True)), PlainLines)
