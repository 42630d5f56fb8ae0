"""The text of a completion, whichever of the two shapes it has."""

from collections.abc import Mapping, Sequence
from typing import Any

REASONING_KEYS = ("reasoning_content", "thinking")
"""Where chat templates that part the reasoning from the answer put it in a message."""


def completion_text(completion: Any) -> str:
    """What the policy wrote, as one text.

    A plain completion is that text. A chat completion is a list of messages: the text of its last assistant
    message (its last message when none names a role). Reasoning that the template has taken out of the
    content is put back in front of it as `<think>...</think>`. Raises `TypeError` for anything else.
    """
    if isinstance(completion, str):
        return completion
    if not isinstance(completion, Sequence) or not all(isinstance(message, Mapping) for message in completion):
        raise TypeError(f"a completion is a {type(completion).__name__}; it must be a text or a list of chat messages")
    if not completion:
        return ""
    # Tool calls and their results stand between what the policy wrote.
    spoken = [message for message in completion if message.get("role") == "assistant"]
    return _message_text((spoken or completion)[-1])


def _message_text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if content is None:
        content = ""
    elif not isinstance(content, str):
        content = "".join(_part_text(part) for part in content)
    for key in REASONING_KEYS:
        reasoning = message.get(key)
        if isinstance(reasoning, str) and reasoning:
            return f"<think>{reasoning}</think>{content}"
    return content


def _part_text(part: Any) -> str:
    text = part if isinstance(part, str) else part.get("text")
    return text if isinstance(text, str) else ""
