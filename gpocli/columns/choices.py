"""Questions with answers to choose from: the choices as lines with letters, and the letter of the right one."""

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any


def lettered(value: Any) -> str | None:
    """A line such as `B. Oslo` for each choice, of a list of texts, a mapping by letter, or `text` beside `label`."""
    if isinstance(value, Mapping) and {"text", "label"} <= value.keys():
        labels, texts = value["label"], value["text"]
    elif isinstance(value, Mapping):
        labels, texts = list(value), list(value.values())
    else:
        labels, texts = ascii_uppercase, value
    if not isinstance(texts, list) or not 2 <= len(texts) <= len(labels):
        return None
    if not all(isinstance(text, str | int | float) for text in texts):
        return None
    return "\n".join(f"{label}. {text}" for label, text in zip(labels, texts, strict=False))


def letter(value: Any) -> str | None:
    """The letter of a choice that is given by its number, counted from 0."""
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return ascii_uppercase[value] if is_number and 0 <= value < len(ascii_uppercase) else None
