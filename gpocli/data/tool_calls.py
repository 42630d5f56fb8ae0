"""Tool calls whose arguments are JSON text, as some services give them: many templates write it in quotes again."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

QUOTED = (
    "the arguments of a tool call are JSON text, which the model's chat template would write in quotes once more; "
    'write them as an object, as in "arguments": {"city": "Oslo"}'
)
_PROBE = '{"gpo": 1}'


def has_text_arguments(messages: Sequence[Any]) -> bool:
    """Whether the arguments of a call among the messages are text."""
    return any(isinstance(call.get("arguments"), str) for call in _calls(messages))


def with_probed_arguments(messages: Sequence[Any]) -> list[Any]:
    """The messages with a text that `is_quoted` knows in place of all such arguments."""
    copied = deepcopy(list(messages))
    for call in _calls(copied):
        if isinstance(call.get("arguments"), str):
            call["arguments"] = _PROBE
    return copied


def is_quoted(text: str) -> bool:
    """Whether a template wrote the arguments of `with_probed_arguments` as a string within JSON."""
    return '{\\"gpo\\"' in text


def _calls(messages: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for message in messages:
        for call in message.get("tool_calls") or []:
            inner = call.get("function", call) if isinstance(call, dict) else None
            if isinstance(inner, dict):
                yield inner
