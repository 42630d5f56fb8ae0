"""The prompts of rows: brought into one form, and what is done about bad ones."""

from collections import Counter
from dataclasses import replace
from typing import Any

from gpocli.data.columns import PROMPT, empty_paths, map_columns, reserved_columns, unused_columns
from gpocli.data.prompt import BadPromptError, Message, read_prompt
from gpocli.data.required import require_prompt_column
from gpocli.data.rows import Rows
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec


def prepare(rows: Rows, data: DataSpec, *, whole: bool = True) -> Rows:
    """Rows of any source ready for a trainer, with columns renamed and prompts checked (see `prepare_prompts`).

    `whole`: they are more than one row of a source, so that a mapping that leads to nothing in any is an error.

    Raises SpecError when there are no rows, no prompt column, a reserved column name, bad prompts, or plain and chat
    prompts mixed.
    """
    if not rows.values:
        raise SpecError(f"{rows.source}: holds no rows; name a source that has some")
    mapped = map_columns(rows, data.columns)
    for fault in empty_paths(rows, mapped, data.columns) if whole else ():
        raise SpecError(fault)
    rows = mapped
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
