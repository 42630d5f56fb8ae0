"""Prompts to ask: from the command line, from files of rows or of text, from standard input."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from gpocli.columns import read_path
from gpocli.data import Rows, gather, prepare
from gpocli.data.columns import PROMPT, map_columns
from gpocli.data.load import raw_rows
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec

PROMPTS = "prompts"
"""What messages call the arguments of a command."""


def given_prompts(texts: Sequence[str]) -> Rows:
    """Prompts as they were typed."""
    return gather(PROMPTS, [(number, {"prompt": text}) for number, text in enumerate(texts, start=1)])


def prompts_of_file(place: str, data: DataSpec) -> Rows:
    """The prompts of a file: of a `.txt` a line each, of any other the rows as training reads them. Raises SpecError.

    `data.columns` leads to the prompt in rows.
    """
    path = Path(place).expanduser()
    if path.suffix.lower() != ".txt":
        return raw_rows(data.model_copy(update={"source": place, "split": "train", "limit": None}))
    try:
        return prompts_of_lines(place, path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SpecError(f"cannot read '{place}' ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise SpecError(f"'{place}' is not text in UTF-8; convert it first") from error


def prompts_of_stream(stream: TextIO) -> Rows:
    """The prompts of standard input: rows where each line is a JSON object, else a line each. Raises SpecError."""
    try:
        text = stream.read()
    except UnicodeDecodeError as error:
        raise SpecError("standard input is not text in UTF-8; convert it first") from error
    objects = [(number, _object(line)) for number, line in _lines(text)]
    if objects and all(row is not None for _, row in objects):
        return gather("stdin", [(number, row) for number, row in objects if row is not None])
    return prompts_of_lines("stdin", text)


def prompts_of_lines(source: str, text: str) -> Rows:
    """A prompt a line; blank lines are passed over."""
    return gather(source, [(number, {"prompt": line}) for number, line in _lines(text)])


def ready(rows: Rows, data: DataSpec, *, chat: bool) -> Rows:
    """The prompts in the form that training has: text, or chats with the system message of `data`.

    `chat` turns text into a user's message; of `data.columns` counts what leads to the prompt, where rows have it.
    Raises SpecError for bad prompts and for none.
    """
    if not rows.values:
        raise SpecError(f"{rows.source}: no prompt; write one as an argument, or name a file that has some")
    if (column := data.columns.get(PROMPT)) and (PROMPT not in rows.columns or read_path(column, rows.columns)):
        rows = map_columns(rows, {PROMPT: column})
    alone = replace(rows, columns=(PROMPT,), values=[{PROMPT: row.get(PROMPT)} for row in rows])
    is_text = isinstance(alone[0][PROMPT], str)
    return prepare(alone, data.model_copy(update={"columns": {}, "chat": data.chat or (chat and is_text)}))


def _lines(text: str) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]


def _object(line: str) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
