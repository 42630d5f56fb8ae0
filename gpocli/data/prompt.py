"""One prompt: what counts as one, and in which form it reaches the trainer."""

from collections.abc import Mapping
from reprlib import repr as brief
from typing import Any

from gpocli.data.written_chat import written_chat

Message = dict[str, Any]

_WRITTEN = "prompt is a chat written as text"

_ROLES = ("system", "developer", "user", "assistant", "tool")


class BadPromptError(Exception):
    """Why one prompt cannot be used: a `kind` to count by, and the `detail` for the first of its kind."""

    def __init__(self, kind: str, detail: str | None = None) -> None:
        super().__init__(detail or kind)
        self.kind = kind
        self.detail = detail or kind


def read_prompt(prompt: Any, *, chat: bool, from_table: bool) -> str | list[Message]:
    """What the column `prompt` holds, in the trainer's form; raises BadPromptError.

    A chat that is written as text is one if `chat` says so. Arrow tables fill keys that a message lacks with nulls,
    which are taken out again.
    """
    if isinstance(prompt, str) and (messages := written_chat(prompt)) is not None:
        if not chat:
            cure = "write --set data.chat=true (data.chat: true in a spec) to have it read"
            raise BadPromptError(_WRITTEN, f"{_WRITTEN}, whose brackets the model would get; {cure}")
        prompt = messages
    match prompt:
        case None:
            raise BadPromptError("prompt is null or missing")
        case str():
            return _text(prompt, "prompt", "prompt")
        case []:
            raise BadPromptError("prompt is an empty list")
        case list():
            messages = [_message(message, number, from_table) for number, message in enumerate(prompt, start=1)]
            if messages[-1]["role"] == "assistant":
                kind = "prompt ends with an assistant message"
                raise BadPromptError(kind, f"{kind}, which is the policy's to write")
            return messages
        case _:
            detail = f"prompt is {brief(prompt)}, not text or messages"
            raise BadPromptError("prompt is neither text nor messages", detail)


def _text(text: str, what: str, kind: str) -> str:
    if not text.strip():
        raise BadPromptError(f"{kind} is empty", f"{what} is empty")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"holds half a surrogate pair (\\u{ord(text[error.start]):04x}), which is no character"
        raise BadPromptError(f"{kind} holds half a surrogate pair", f"{what} {half}") from error
    return text


def _message(message: Any, number: int, from_table: bool) -> Message:
    if not isinstance(message, Mapping):
        raise BadPromptError("a message is not an object", f"message {number} is {brief(message)}, not an object")
    role, content = message.get("role"), message.get("content")
    if role not in _ROLES:
        detail = f"message {number} has role {brief(role)}, not one of {', '.join(_ROLES)}"
        raise BadPromptError("a message has no known role", detail)
    rest = {key: value for key, value in message.items() if key not in ("role", "content") and value is not None}
    if from_table:
        rest = {key: _without_nulls(value) for key, value in rest.items()}
    if not content and role == "assistant" and rest.get("tool_calls"):  # such a message has no text of its own
        return {"role": role, "content": "", **rest}
    return {"role": role, "content": _content(content, number), **rest}


def _content(content: Any, number: int) -> str:
    match content:
        case None:
            raise BadPromptError("a message has no content", f"message {number} has no content")
        case str():
            return _text(content, f"message {number}", "a message")
        case list():
            return _content("".join(_part(part, number) for part in content), number)  # parts may all be empty
        case _:
            detail = f"message {number} has the content {brief(content)}, not text"
            raise BadPromptError("a message's content is not text", detail)


def _part(part: Any, number: int) -> str:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
    kind = part.get("type") if isinstance(part, Mapping) else part
    detail = f"message {number} has a part of type {brief(kind)}; only text can be trained on"
    raise BadPromptError("a message has a part that is not text", detail)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value
