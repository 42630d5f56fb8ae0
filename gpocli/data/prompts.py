"""Prompts: what counts as one, in which form it reaches the trainer, and what is done about bad ones."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from reprlib import repr as brief
from typing import Any

from gpocli.data.columns import PROMPT, map_columns, require_prompt_column, reserved_columns, unused_columns
from gpocli.data.rows import Rows
from gpocli.data.written_chat import written_chat
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec

Message = dict[str, Any]

_WRITTEN = "prompt is a chat written as text"

_ROLES = ("system", "developer", "user", "assistant", "tool")


class BadPromptError(Exception):
    """Why one prompt cannot be used: a `kind` to count by, and the `detail` for the first of its kind."""

    def __init__(self, kind: str, detail: str | None = None) -> None:
        super().__init__(detail or kind)
        self.kind = kind
        self.detail = detail or kind


def prepare(rows: Rows, data: DataSpec) -> Rows:
    """Rows of any source ready for a trainer, with columns renamed and prompts checked (see `prepare_prompts`).

    Raises SpecError when there are no rows, no prompt column, a reserved column name, bad prompts, or plain and chat
    prompts mixed.
    """
    if not rows.values:
        raise SpecError(f"{rows.source}: holds no rows; name a source that has some")
    rows = map_columns(rows, data.columns)
    require_prompt_column(rows)
    for fault in reserved_columns(rows):
        raise SpecError(fault)
    prepared = prepare_prompts(rows, data)
    for fault in unused_columns(prepared):
        raise SpecError(fault)
    return prepared


def prepare_prompts(rows: Rows, data: DataSpec) -> Rows:
    """Check every prompt and bring it into the form that the trainer takes: text, or a list of messages.

    `data.chat` turns a plain prompt into one user message, or into the chat that it spells out. `data.system` is put
    in front as a system message, which makes a plain prompt a chat; a row that has a system message of its own keeps
    it and gets no second one.
    Parts of a message that are all text are joined. Raises SpecError for a bad prompt (unless `data.bad_rows` is
    "drop", which drops and counts such rows), when none is left, and when plain and chat rows are mixed.
    """
    values: list[dict[str, Any]] = []
    kept: list[int] = []
    bad: list[tuple[int, BadPromptError]] = []
    for index, row in enumerate(rows):
        try:
            values.append({**row, PROMPT: read_prompt(rows, index, chat=data.chat)})
            kept.append(index)
        except BadPromptError as reason:
            bad.append((index, reason))
    remark = _bad_remark(rows, bad) if bad else None
    if remark and (data.bad_rows == "refuse" or not kept):
        fix = "mend these rows" if data.bad_rows == "drop" else "mend them, or set data.bad_rows=drop"
        raise SpecError(f"{remark}; {fix}")
    notes = (f"dropped rows without a usable prompt: {remark}",) if remark else ()
    usable = replace(rows.select(kept, *notes), values=values)
    refuse_mixed(usable, usable)
    if data.chat or data.system is not None:
        return replace(usable, values=[{**row, PROMPT: _chat(row[PROMPT], data.system)} for row in values])
    return usable


def refuse_mixed(rows: Rows, source: Rows) -> None:
    """Raise SpecError when a prompt has another form than the first one of the source: a chat, or plain text."""
    is_chat = isinstance(source[0][PROMPT], list)
    for index, row in enumerate(rows):
        if isinstance(row[PROMPT], list) != is_chat:
            kinds = ("plain text", "a list of messages")
            raise SpecError(
                f"{rows.place(index)}: prompt is {kinds[not is_chat]}, but {kinds[is_chat]} in the first row "
                f"({source.place(0)}); write all prompts of a source in one form"
            )


def read_prompt(rows: Rows, index: int, *, chat: bool) -> str | list[Message]:
    """The prompt of a row in the trainer's form; raises BadPromptError. A chat that is written as text is one if `chat`
    says so.
    """
    # Arrow tables fill keys that a message lacks with nulls; these are taken out again.
    from_table = rows.part_of(index).unit == "row"
    prompt = rows[index].get(PROMPT)
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


def _bad_remark(rows: Rows, bad: list[tuple[int, BadPromptError]]) -> str:
    first, reason = bad[0]
    if len(bad) == 1:
        return f"{rows.place(first)}: {reason.detail} (1 of {len(rows)} rows)"
    counts = Counter(reason.kind for _, reason in bad)
    listed = ", ".join(f"{count} times {kind}" for kind, count in counts.most_common())
    return f"{rows.place(first)}: {reason.detail}; {len(bad)} of {len(rows)} rows have no usable prompt ({listed})"


def _chat(prompt: str | list[Message], system: str | None) -> list[Message]:
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    # `developer` is what newer templates call it.
    if system is None or any(message["role"] in ("system", "developer") for message in messages):
        return messages
    return [{"role": "system", "content": system}, *messages]
