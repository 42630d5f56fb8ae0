"""`gpo chat`: a conversation with a model, or with two of them beside each other."""

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import console
from gpocli.cli.generate import MaxTokens, Model, Seed, System, Temperature, load, sampling_flags, say
from gpocli.cli.spec_command import Set

if TYPE_CHECKING:
    from gpocli.asking.speaker import Speaker

Beside = Annotated[
    str | None,
    typer.Option(
        "--beside", help="A second model; base: what the run began with.", metavar="MODEL", show_default=False
    ),
]
_COMMANDS = "/reset begins anew, /retry answers again, /quit ends; Ctrl-C ends an answer, twice the chat"


def chat_command(
    model: Model,
    beside: Beside = None,
    system: System = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    seed: Seed = 0,
    overrides: Set = None,
) -> None:
    """Chat with a model, or with what a run has trained; with --beside two answer side by side.

    Each model is asked as it was trained, and has its own answers in its history. Lines come from the terminal or from
    a pipe.
    """
    from gpocli.asking.source import BASE, base_of, find_asked
    from gpocli.asking.speaker import Speaker

    flags = sampling_flags(temperature, max_tokens, system)
    asked = [find_asked(model, overrides or (), flags)]
    if beside is not None:
        second = base_of(asked[0]) if beside == BASE else beside
        asked.append(find_asked(second, overrides or (), flags))
    speakers = [Speaker(load(one), seed) for one in asked]
    say(f"{' beside '.join(one.name for one in speakers)}: {_COMMANDS}")
    _Chat(speakers).go_on()


class _Chat:
    """Reads lines until the end, `/quit` or a second Ctrl-C."""

    def __init__(self, speakers: "list[Speaker]") -> None:
        self._speakers, self._is_warned, self._last = speakers, False, ""

    def go_on(self) -> None:
        """Raises KeyboardInterrupt for the second Ctrl-C."""
        from gpocli.errors import SpecError

        while (line := self._line()) is not None:
            if not (question := self._question(line.strip())):
                continue
            self._last = question
            try:
                self._is_warned = self._answered(question)
            except SpecError as error:  # no room for more
                say(str(error))

    def _answered(self, question: str) -> bool:
        from gpocli.cli.chat_view import show_answers

        return show_answers(self._speakers, question)

    def _line(self) -> str | None:
        """The next line; None at the end, or where the user is through with it."""
        while True:
            try:
                line = _read()
            except KeyboardInterrupt:
                if self._is_warned:
                    raise
                self._is_warned = True
                say("\nCtrl-C again, or /quit, ends the chat")
                continue
            self._is_warned = False
            return None if line is None or line.strip() == "/quit" else line

    def _question(self, line: str) -> str | None:
        """What is asked; None where a command was carried out."""
        if line == "/reset":
            for one in self._speakers:
                one.conversation.reset()
            self._last = ""
            say("a new conversation")
            return None
        if line == "/retry":
            if not self._last:
                say("nothing was asked yet")
            for one in self._speakers:
                one.conversation.take_back(self._last)
            return self._last
        if line.startswith("/") and line[1:].isalpha():
            say(f"'{line}' is no command: {_COMMANDS}")
            return None
        return line


def _read() -> str | None:
    """A line of the terminal, which can be edited, or of a pipe; None at the end."""
    if not (sys.stdin.isatty() and console.is_terminal):
        return sys.stdin.readline() or None
    with suppress(ImportError):
        import readline  # noqa: F401  (`input` takes it)
    try:
        return input("> ")
    except EOFError:
        say("")
        return None
