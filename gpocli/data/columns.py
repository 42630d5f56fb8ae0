"""The columns of rows: mapping, reserved names, and what prompts and rewards need."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gpocli.data.rows import ROW_KEY, Rows
from gpocli.errors import SpecError

PROMPT = "prompt"

RESERVED = frozenset(
    f"{ROW_KEY} prompts completion completions completion_ids completion_lengths finished rewards_per_func "
    "group_completions group_numbers group_rewards trainer_state log_extra log_metric image images self".split()
)
"""Names under which rewards and filters get something else, or which TRL takes for itself."""

IN_A_SPEC = " (data.columns in a spec)"
"""What stands behind a mapping in messages, for who has a spec."""

_LIKELY_PROMPTS = ("question", "problem", "instruction", "query", "input", "messages", "conversation", "text")


_OF_TEMPLATES = {
    "tools": "write the tools into a system message",
    "chat_template_kwargs": "write trl.chat_template_kwargs, which is one for all rows",
}
"""Columns that TRL's other trainers hand to the chat template, and what to do here."""


def map_columns(rows: Rows, columns: Mapping[str, str]) -> Rows:
    """Rename columns: `columns` holds the new name of each column and the name it has in the source.

    A source column that is mapped is there under its new names only; it replaces a column that had such a
    name. Raises SpecError when a source column does not exist.
    """
    for fault in unknown_columns(rows, columns):
        raise SpecError(fault)
    mapped = set(columns.values())
    # The mapping last: two columns may change their names with each other.
    sources = {name: name for name in rows.columns if name not in mapped} | dict(columns)
    if all(new == old for new, old in sources.items()):
        return rows
    return replace(
        rows,
        columns=tuple(sources),
        values=[{new: values[old] for new, old in sources.items()} for values in rows.values],
    )


def unknown_columns(rows: Rows, columns: Mapping[str, str]) -> list[str]:
    """What is wrong with a mapping: a line for each source column that does not exist."""
    faults = []
    for new, old in columns.items():
        if old not in rows.columns:
            near = _nearest(old, rows.columns)
            fix = f"did you mean '{near}'?" if near else "name one of these"
            if new in rows.columns and new != PROMPT and near is None:
                fix = f"ours stands first: {_mapping(old, new)}"
            found = _found(rows.columns)
            faults.append(f"{rows.source}: no column '{old}', which data.columns.{new} names; {found}; {fix}")
    return faults


def reserved_columns(rows: Rows) -> list[str]:
    """A line for each column with a name under which a reward or filter would get something else."""
    return [
        f"{rows.source}: the column name '{name}' is taken (rewards and filters get something else under "
        f"it); rename the column with {_mapping(f'data_{name}', name)}"
        for name in rows.columns
        if name in RESERVED
    ]


def unused_columns(rows: Rows) -> list[str]:
    """A line for each column that other tools put into the chat template, of chats; here it would do nothing."""
    faults = []
    for name, cure in _OF_TEMPLATES.items():
        first = next((index for index, row in enumerate(rows) if row.get(name)), None)
        if first is not None and isinstance(rows[first][PROMPT], list):
            faults.append(
                f"{rows.place(first)}: the column '{name}' does not reach the model, whose chat template would take it "
                f"elsewhere; {cure}, or keep it for rewards with {_mapping(f'data_{name}', name)}"
            )
    return faults


def require_prompt_column(rows: Rows) -> None:
    """Raise SpecError when there is no column 'prompt', naming the column that is most likely meant."""
    if PROMPT not in rows.columns:
        likely = (name for name in _LIKELY_PROMPTS if name in rows.columns)
        near = _nearest(PROMPT, rows.columns) or next(likely, "NAME")
        raise SpecError(
            f"{rows.source}: no column 'prompt'; {_found(rows.columns)}; map one with {_mapping(PROMPT, near)}"
        )


def require_columns(rows: Rows, reward_name: str, columns: Iterable[str]) -> None:
    """Raise SpecError when a column is missing without which the reward cannot work."""
    for name in columns:
        if name not in rows.columns:
            near = _nearest(name, rows.columns) or "NAME"
            raise SpecError(
                f"{rows.source}: reward '{reward_name}' needs a column '{name}'; {_found(rows.columns)}; map one with "
                f"{_mapping(name, near)}"
            )


def _found(columns: tuple[str, ...]) -> str:
    shown = ", ".join(f"'{name}'" for name in columns[:12])
    return f"columns found: {shown}{', ...' if len(columns) > 12 else ''}"


def _nearest(name: str, columns: tuple[str, ...]) -> str | None:
    # Reversed, so that of ` prompt` and `Prompt` the first is named.
    plain = {column.strip().lower(): column for column in reversed(columns)}
    near = difflib.get_close_matches(name.strip().lower(), plain, n=1, cutoff=0.75)
    return plain[near[0]] if near else None


def _mapping(ours: str, theirs: str) -> str:
    """How a column is mapped, on the command line and elsewhere."""
    return f"--map {ours}={_quoted(theirs)}{IN_A_SPEC}"


def _quoted(name: str) -> str:
    return name if name.isidentifier() else f"'{name}'"  # for the shell
