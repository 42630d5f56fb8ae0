"""Answers of a chat on a terminal: one below the other, or in columns where there is room for them."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.text import Text

from gpocli.cli.console import console, print_lines
from gpocli.display.clean import clean

if TYPE_CHECKING:
    from rich.table import Table

    from gpocli.asking.speaker import Said, Speaker

WIDE = 100
"""Columns of a terminal from which two answers stand side by side."""
_LOOKS = 0.1
_BESIDE = 4
"""Lines that are left free while columns grow."""


def show_answers(speakers: "Sequence[Speaker]", question: str) -> bool:
    """Let each answer and show how it does; returns whether one of them was interrupted."""
    with _keys_unseen():
        if len(speakers) > 1 and console.is_terminal and console.width >= WIDE:
            return _side_by_side(speakers, question)
        interrupted = [_below(one, question, is_one=len(speakers) == 1) for one in speakers]
        return any(interrupted)


@contextmanager
def _keys_unseen() -> Iterator[None]:
    """What is typed while answers come waits for the next line, and does not show within them."""
    if not sys.stdin.isatty():
        yield
        return
    import termios

    before = termios.tcgetattr(sys.stdin)
    unseen = termios.tcgetattr(sys.stdin)
    unseen[3] &= ~termios.ECHO
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, unseen)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _below(speaker: "Speaker", question: str, *, is_one: bool) -> bool:
    if not is_one:
        console.print(f"{speaker.name}:", style="bold", markup=False, soft_wrap=True)
    said = speaker.answer(question, _write)
    print_lines("", *_notes(said))
    return said.is_interrupted


def _side_by_side(speakers: "Sequence[Speaker]", question: str) -> bool:
    names, texts, notes = [one.name for one in speakers], ["" for _ in speakers], ["" for _ in speakers]
    said: list[Said] = []
    with _growing(lambda height: _columns(names, texts, notes, height)) as redraw:
        for number, one in enumerate(speakers):

            def show(text: str, number: int = number) -> None:
                texts[number] += text
                redraw()

            said.append(one.answer(question, show))
            notes[number] = "\n".join(_notes(said[-1]))
    return any(one.is_interrupted for one in said)


@contextmanager
def _growing(picture: "Callable[[int | None], Table]") -> Iterator[Callable[[], None]]:
    """A picture that is drawn anew now and then while it grows, as high as the screen, and whole at its end."""
    from rich.live import Live

    last = 0.0
    with Live(console=console, auto_refresh=False, vertical_overflow="crop") as live:

        def redraw() -> None:
            nonlocal last
            if time.monotonic() - last >= _LOOKS:
                live.update(picture(max(1, console.height - _BESIDE)), refresh=True)
                last = time.monotonic()

        try:
            yield redraw
        finally:
            live.vertical_overflow = "visible"
            live.update(picture(None), refresh=True)


def _columns(names: Sequence[str], texts: Sequence[str], notes: Sequence[str], height: int | None) -> "Table":
    from rich.table import Column, Table

    width = (console.width - 3) // len(names)
    table = Table(
        *(Column(Text(clean(name)), width=width, overflow="fold") for name in names), box=None, padding=(0, 1)
    )
    table.add_row(*(_tail(text, width - 2, height) for text in texts))
    if any(notes):
        table.add_row(*(Text(note, style="dim") for note in notes))
    return table


def _tail(text: str, width: int, height: int | None) -> Text:
    """The last lines of a text, of as many as there is room for."""
    whole = Text(clean(text), overflow="fold")
    if height is None:
        return whole
    return Text("\n").join(list(whole.wrap(console, width))[-height:])


def _write(text: str) -> None:
    console.print(text, end="", markup=False, soft_wrap=True)
    console.file.flush()


def _notes(said: "Said") -> list[str]:
    if said.is_interrupted:
        return ["(ended by Ctrl-C)"]
    return [] if said.cut_at is None else [f"(cut at {said.cut_at} tokens; --max-tokens allows more)"]
