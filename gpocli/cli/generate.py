"""`gpo generate`: answers of a model to prompts, as they are drawn."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import console, error_console, print_lines
from gpocli.cli.plain import is_utf8
from gpocli.cli.spec_command import AsJson, Set

if TYPE_CHECKING:
    from gpocli.asking.answers import Answer, Portion, Teller
    from gpocli.asking.model import AskedModel
    from gpocli.asking.source import Asked
    from gpocli.data import Rows
    from gpocli.spec.layer import Assignment

Model = Annotated[str, typer.Argument(metavar="MODEL", help="A run, a folder or a hub id.", show_default=False)]
Prompts = Annotated[
    list[str] | None,
    typer.Argument(metavar="PROMPT...", help="What to ask; none: standard input.", show_default=False),
]
File = Annotated[
    Path | None,
    typer.Option("--file", help="Prompts: rows, or a .txt with one a line.", metavar="FILE", show_default=False),
]
Count = Annotated[int, typer.Option("-n", "--n", min=1, help="Answers to each prompt.", metavar="N")]
Plain = Annotated[bool, typer.Option("--plain", help="Prompts as they are, without the chat template.")]
System = Annotated[
    str | None,
    typer.Option(help="System message [dim]\\[default: that of the run][/dim].", metavar="TEXT", show_default=False),
]
Temperature = Annotated[
    float | None, typer.Option(help="Of sampling [dim]\\[default: that of the run, else 1][/dim].", show_default=False)
]
MaxTokens = Annotated[
    int | None,
    typer.Option(help="Longest answer [dim]\\[default: that of the run, else 1024][/dim].", show_default=False),
]
Seed = Annotated[int, typer.Option(help="The same seed, the same answers.")]


def generate_command(
    model: Model,
    prompts: Prompts = None,
    file: File = None,
    count: Count = 1,
    plain: Plain = False,
    system: System = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    seed: Seed = 0,
    overrides: Set = None,
    as_json: AsJson = False,
) -> None:
    """Answer prompts with a model, or with what a run has trained, as it was trained to be asked.

    A run brings its sampling settings, system message and chat template. The same seed gives the same answers.
    """
    from gpocli.asking.source import find_asked

    asked = find_asked(model, overrides or (), sampling_flags(temperature, max_tokens, system))
    if prompts and file is not None:
        raise typer.BadParameter("prompts stand on the command line and in --file; leave out one of the two")
    rows = _rows(prompts, file, asked)
    loaded = load(asked)
    made = loaded.prompts(rows, chat=loaded.is_chat and not plain)
    told = _as_json if as_json else _as_text
    told(loaded, made, count, seed)


def sampling_flags(temperature: float | None, max_tokens: int | None, system: str | None) -> "list[Assignment]":
    """What the flags of a command say that asks a model."""
    from gpocli.spec.layer import Assignment, Place

    given = [
        ("--temperature", "sampling.temperature", temperature),
        ("--max-tokens", "sampling.max_tokens", max_tokens),
        ("--system", "data.system", system),
    ]
    return [Assignment(path, value, Place(flag)) for flag, path, value in given if value is not None]


def load(asked: "Asked") -> "AskedModel":
    """The model with its weights; notes about it go to stderr."""
    from contextlib import nullcontext

    from gpocli.asking.model import AskedModel
    from gpocli.training.quiet import quiet_libraries, quiet_transformers

    quiet_libraries(telemetry=asked.spec.run.telemetry)
    for note in asked.notes:
        say(f"note: {note}")
    with error_console.status(f"loading {asked.name}") if error_console.is_terminal else nullcontext():
        quiet_transformers()
        return AskedModel(asked)


def say(text: str) -> None:
    """Tell the user something that is no answer."""
    error_console.print(text, markup=False, soft_wrap=True)


def _rows(prompts: list[str] | None, file: Path | None, asked: "Asked") -> "Rows":
    from gpocli.asking.prompts import given_prompts, prompts_of_file, prompts_of_stream

    if prompts:
        return given_prompts(prompts)
    if file is not None:
        return prompts_of_file(str(file), asked.spec.data)
    if sys.stdin.isatty():
        say("a prompt a line, then Ctrl-D:")
    return prompts_of_stream(sys.stdin)


def _as_json(model: "AskedModel", made: "Rows", count: int, seed: int) -> None:
    import json

    is_plain = not is_utf8(console.encoding)
    for answers in model.answers(made, count, seed):
        for one in answers:
            print_lines(json.dumps(_as_record(model, made, one, seed), ensure_ascii=is_plain))


def _as_record(model: "AskedModel", made: "Rows", one: "Answer", seed: int) -> dict[str, object]:
    return {
        "model": model.name,
        "number": one.prompt,
        "prompt": made[one.prompt]["prompt"],
        "candidate": one.candidate,
        "text": one.text,
        "tokens": one.tokens,
        "ended": one.ended,
        "logp": one.logp,
        "seed": seed,
    }


def _as_text(model: "AskedModel", made: "Rows", count: int, seed: int) -> None:
    is_one = len(made) * count == 1
    tell = _Telling(made, count, is_one=is_one)
    cut = 0
    for answers in model.answers(made, count, seed, lambda portion: _teller(model, tell, portion)):
        cut += sum(not one.ended for one in answers)
        tell.close()
    if cut:
        whole = len(made) * count
        how = "cut" if is_one else f"{cut} of {whole} cut"
        say(f"{how} at {model.settings.max_new_tokens} tokens; --max-tokens allows more")


def _teller(model: "AskedModel", tell: "_Telling", portion: "Portion") -> "Teller":
    from gpocli.asking.answers import Teller

    return Teller(model.decode, lambda row: tell.begin(*portion.place(row)), tell.show)


class _Telling:
    """Answers as text: each under its prompt and number, where there is more than one."""

    def __init__(self, made: "Rows", count: int, *, is_one: bool) -> None:
        self._made, self._count, self._is_one, self._is_open = made, count, is_one, False

    def begin(self, prompt: int, candidate: int) -> None:
        self.close()
        if not self._is_one:
            if (prompt, candidate) != (0, 0):
                print_lines("")
            number = f" ({candidate + 1} of {self._count})" if self._count > 1 else ""
            console.print(f"{_last_words(self._made[prompt]['prompt'])}{number}", style="bold", markup=False)
        self._is_open = True

    def show(self, text: str) -> None:
        console.print(text, end="", markup=False, soft_wrap=True)
        console.file.flush()

    def close(self) -> None:
        if self._is_open:
            print_lines("")
        self._is_open = False


def _last_words(prompt: object) -> str:
    """What the user says last in a prompt, in a line."""
    text = str(prompt[-1]["content"]) if isinstance(prompt, list) else str(prompt)
    line = " ".join(text.split())
    return line if len(line) <= 76 else f"{line[:75]}…"
