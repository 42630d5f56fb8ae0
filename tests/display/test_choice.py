"""Live on a terminal, lines elsewhere, nothing from other processes."""

import io

from rich.console import Console

from gpocli.display.choice import LogFormat, open_progress
from gpocli.display.json_lines import JsonLines
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


def test_a_format_that_is_asked_for_is_had_where_it_can_be(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    terminal, pipe = console(force_terminal=True), console()
    assert isinstance(open_progress(terminal, LogFormat.lines), PlainLines)
    assert isinstance(open_progress(pipe, LogFormat.live), PlainLines)
    assert isinstance(open_progress(terminal, LogFormat.live), LiveDisplay)
    assert isinstance(open_progress(terminal, LogFormat.json), JsonLines)
    assert type(open_progress(pipe, LogFormat.json, main_process=False)) is Progress
