r"""Steps of a column path: what a value becomes on the way. A step that finds nothing gives None."""

import ast
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from gpocli.columns.choices import letter, lettered
from gpocli.maths.extraction import gold_answer, stated_answer

_ROLES = {"human": "user", "gpt": "assistant", "chatgpt": "assistant", "bot": "assistant", "model": "assistant"}
"""What ShareGPT calls the roles; the others it calls as everyone does."""


def boxed(value: Any) -> str | None:
    r"""What the last `\boxed{}` of a worked solution holds."""
    if not isinstance(value, str) or "\\boxed" not in value:
        return None
    text = value.replace("####", "")  # which would go first
    found = gold_answer(text)
    return None if found == text else found.strip()


def hashes(value: Any) -> str | None:
    """What stands behind the last `####` of a worked solution."""
    if not isinstance(value, str) or "####" not in value:
        return None
    return value.rpartition("####")[2].strip() or None


def stated(value: Any) -> str | None:
    """The answer that a text states, as the reward `accuracy` finds it in a completion."""
    found = stated_answer(value) if isinstance(value, str) else None
    return None if found is None else found.strip()


def from_json(value: Any) -> Any:
    """What a JSON text, or one that Python printed, stands for; other values are left as they are."""
    if not isinstance(value, str):
        return value
    with suppress(ValueError, RecursionError):
        return json.loads(value)
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        return ast.literal_eval(value.strip())
    return None


def only(value: Any) -> Any:
    """The item of a list that holds one, which may be held as JSON text; None for a list of several."""
    read = from_json(value)
    return read[0] if isinstance(read, list) and len(read) == 1 else None


def chat(value: Any) -> list[Any] | None:
    """Messages of a conversation up to the last that is not the assistant's, with `role` and `content`."""
    messages = _messages(value)
    while messages and _is_reply(messages[-1]):
        messages.pop()
    return messages or None


def reply(value: Any) -> Any:
    """The content of a conversation's last message, if it is the assistant's."""
    messages = _messages(value)
    return messages[-1].get("content") if messages and _is_reply(messages[-1]) else None


def _messages(value: Any) -> list[Any]:
    read = from_json(value)
    return [_message(one) for one in read] if isinstance(read, list) else []


def _message(message: Any) -> Any:
    if not isinstance(message, Mapping) or not {"from", "value"} <= message.keys():
        return message
    role = message["from"]
    return {"role": _ROLES.get(role, role), "content": message["value"]}


def _is_reply(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") == "assistant"


STEPS: Mapping[str, Callable[[Any], Any]] = {
    "boxed": boxed,
    "hashes": hashes,
    "stated": stated,
    "json": from_json,
    "only": only,
    "lettered": lettered,
    "letter": letter,
    "chat": chat,
    "reply": reply,
}
"""By the names that stand behind a colon."""
