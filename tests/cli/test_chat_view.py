"""Two answers stand in columns where there is room, each whole at the end."""

import io
import re

import pytest

from gpocli.asking.speaker import Said
from gpocli.cli import chat_view
from gpocli.cli.plain import PlainConsole

MOVES = re.compile(r"\x1b\[[?\d]*[hlAK]")
"""What draws a picture anew; no colour."""


class Parrot:
    """One that says the same to all."""

    def __init__(self, name, *pieces, said=None):
        self.name, self._pieces, self._said = name, pieces, said or Said(len(pieces))

    def answer(self, question, show):
        for piece in self._pieces:
            show(piece)
        return self._said


@pytest.fixture
def shown(monkeypatch):
    """`shown(width, *speakers)`: what stands on a terminal of that width after they answered."""

    def show(width, *speakers, is_terminal=True):
        file = io.StringIO()
        console = PlainConsole(
            file=file, width=width, height=20, force_terminal=is_terminal, color_system=None, highlight=False
        )
        monkeypatch.setattr(chat_view, "console", console)
        monkeypatch.setattr(chat_view, "print_lines", lambda *lines: [console.print(line) for line in lines])
        chat_view.show_answers(speakers, "?")
        return MOVES.sub("", file.getvalue())

    return show


def test_columns_need_a_wide_terminal(shown):
    two = Parrot("a", "one ", "two"), Parrot("b", "three")
    assert shown(99, *two) == "a:\none two\nb:\nthree\n"
    assert shown(200, *two, is_terminal=False) == "a:\none two\nb:\nthree\n"
    assert [line.split() for line in shown(100, *two).splitlines()][-2:] == [["a", "b"], ["one", "two", "three"]]


def test_a_long_answer_is_whole_at_the_end(shown):
    long = [f"line {number}\n" for number in range(40)]
    screen = shown(100, Parrot("a", *long), Parrot("b", "short"))
    assert all(f"line {number} " in screen.rpartition(" a ")[2] for number in range(40))


def test_how_an_answer_ended_stands_below_it(shown):
    cut, interrupted = Parrot("a", "x", said=Said(1, cut_at=1)), Parrot("b", "y", said=Said(1, is_interrupted=True))
    below = "a:\nx\n(cut at 1 tokens; --max-tokens allows more)\nb:\ny\n(ended by Ctrl-C)\n"
    assert shown(80, cut, interrupted) == below
    assert "(ended by Ctrl-C)" in shown(120, cut, interrupted).splitlines()[-1]


def test_text_does_nothing_on_the_terminal_but_show(shown):
    assert "\x1b[31m" not in shown(80, Parrot("a", "\x1b[31mred")) + shown(
        120, Parrot("\x1b[31m", "\x1b[31m"), Parrot("b")
    )
