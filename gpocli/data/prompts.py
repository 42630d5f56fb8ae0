"""The prompts of rows: brought into one form, and what is done about bad ones."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gpocli.data.columns import PROMPT, empty_paths, map_columns, reserved_columns, unused_columns
from gpocli.data.prompt import BadPromptError, Message, read_prompt
from gpocli.data.required import require_prompt_column
from gpocli.data.rows import Rows
from gpocli.data.store import keep
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
    kept = array("Q")
    bad = _Bad()
    mixed: list[int] = []

    def usable() -> Iterator[dict[str, Any]]:
        is_chat = None
        for index, row in enumerate(rows):
            try:
                prompt = read_prompt(row[PROMPT], chat=data.chat, from_table=rows.is_of_table(index))
            except BadPromptError as reason:
                bad.add(index, reason)
                continue
            is_chat = isinstance(prompt, list) if is_chat is None else is_chat
            if isinstance(prompt, list) != is_chat and not mixed:
                mixed.append(len(kept))
            kept.append(index)
            yield {**row, PROMPT: prompt if mixed else _with_system(prompt, data)}

    values = keep(usable(), rows.columns)
    remark = bad.remark(rows)
    if remark and (data.bad_rows == "refuse" or not kept):
        fix = "mend these rows" if data.bad_rows == "drop" else "mend them, or set data.bad_rows=drop"
        raise SpecError(f"{remark}; {fix}")
    notes = (f"dropped rows without a usable prompt: {remark}",) if remark else ()
    prepared = replace(rows.select(kept, *notes), values=values)
    for index in mixed:
        raise SpecError(_mixed(prepared.place(index), isinstance(values[index][PROMPT], list), prepared.place(0)))
    return prepared


def refuse_mixed(rows: Rows, source: Rows) -> None:
    """Raise SpecError when a prompt has another form than the first one of the source: a chat, or plain text."""
    is_chat = isinstance(source[0][PROMPT], list)
    for index, row in enumerate(rows):
        if isinstance(row[PROMPT], list) != is_chat:
            raise SpecError(_mixed(rows.place(index), not is_chat, source.place(0)))


def _mixed(place: str, is_chat: bool, first: str) -> str:
    kinds = ("plain text", "a list of messages")
    return (
        f"{place}: prompt is {kinds[is_chat]}, but {kinds[not is_chat]} in the first row ({first}); write all prompts "
        "of a source in one form"
    )


class _Bad:
    """Rows without a usable prompt: the first one, and how many there are of each kind."""

    def __init__(self) -> None:
        self._first: tuple[int, BadPromptError] | None = None
        self._counts: Counter[str] = Counter()

    def add(self, index: int, reason: BadPromptError) -> None:
        self._first = self._first or (index, reason)
        self._counts[reason.kind] += 1

    def remark(self, rows: Rows) -> str | None:
        """What to say of them; None when there are none."""
        if self._first is None:
            return None
        index, reason = self._first
        count, told = self._counts.total(), f"{rows.place(index)}: {reason.detail}"
        if count == 1:
            return f"{told} (1 of {len(rows)} rows)"
        listed = ", ".join(f"{number} times {kind}" for kind, number in self._counts.most_common())
        return f"{told}; {count} of {len(rows)} rows have no usable prompt ({listed})"


def _with_system(prompt: str | list[Message], data: DataSpec) -> str | list[Message]:
    return _chat(prompt, data.system) if data.chat or data.system is not None else prompt


def _chat(prompt: str | list[Message], system: str | None) -> list[Message]:
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    # `developer` is what newer templates call it.
    if system is None or any(message["role"] in ("system", "developer") for message in messages):
        return messages
    return [{"role": "system", "content": system}, *messages]
