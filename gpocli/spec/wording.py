"""How values are shown in messages."""

from typing import Any


def number(value: float) -> str:
    """Write a number as a user would."""
    return str(value) if isinstance(value, int) else f"{value:g}"


def shown(value: Any) -> str:
    """Show a value in a message, as the user wrote it or by its kind."""
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= 60 else f"'{value[:57]}...'"
    if isinstance(value, bool) or value is None:
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    return f"a value of type {type(value).__name__}"


def kind_of(value: Any) -> str:
    """Name the kind of a value."""
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    return "text" if isinstance(value, str) else "not a single value"
