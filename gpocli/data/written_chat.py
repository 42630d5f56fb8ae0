"""Chats that a table holds as text: in a cell of a CSV file, as JSON or as Python prints a list."""

import ast
import json
from contextlib import suppress
from typing import Any


def written_chat(text: str) -> list[Any] | None:
    """The messages that a text spells out; None for any other text."""
    if not text.lstrip().startswith("["):
        return None
    read = _read(text.strip())
    if (
        isinstance(read, list)
        and read
        and all(isinstance(one, dict) and {"role", "content"} <= one.keys() for one in read)
    ):
        return read
    return None


def _read(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        return ast.literal_eval(text)
    return None
