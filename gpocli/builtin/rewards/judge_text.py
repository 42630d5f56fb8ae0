"""What a judge is asked and how its reply is read."""

import re
from collections.abc import Mapping
from typing import Any

_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_BRACES = {"{{": "{", "}}": "}"}

NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
SCORE = rf"(?i)\bscore\b[\"'*_\s:=]*({NUMBER})(?![\d%]|[.,]\d)"
"""`Score: 7`, `**Score:** 7/10`, `{"score": 7.5}`; the number is read whole or not at all."""


def places(template: str) -> list[str]:
    """The names in braces of a template, each once."""
    return [*dict.fromkeys(found[1] for found in _PLACE.finditer(template) if found[1] is not None)]


def filled(template: str, values: Mapping[str, Any]) -> str:
    """The template with values for its names; `{{` and `}}` stand for braces, and braces in values for themselves."""
    return _PLACE.sub(lambda found: _BRACES[found[0]] if found[1] is None else str(values[found[1]]), template)


def prompt_text(prompt: Any) -> str:
    """A prompt as text: its last message of the user alone where it is nothing but that, else each with its role."""
    if isinstance(prompt, str):
        return prompt
    parts = [(str(message.get("role", "user")), _content(message.get("content"))) for message in prompt]
    if [role for role, _ in parts] == ["user"]:
        return parts[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in parts)


def _content(content: Any) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)


def read_score(reply: str, pattern: re.Pattern[str], lowest: float, highest: float) -> float | None:
    """What the last match of the pattern says, from 0 at `lowest` to 1 at `highest`; None where it says nothing, no
    number, or one outside of the two.
    """
    found = [*pattern.finditer(reply)]
    if not found or found[-1][1] is None:
        return None
    try:
        number = float(found[-1][1])
    except ValueError:
        return None
    if not lowest <= number <= highest:  # which is so for nan, too
        return None
    return (number - lowest) / (highest - lowest)
