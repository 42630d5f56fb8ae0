"""The columns of rows: mapping, and names that mean something else."""

import difflib
import re
from collections.abc import Mapping
from typing import Any

from gpocli.columns import ColumnPath, read_path
from gpocli.data.rows import ROW_KEY, Rows
from gpocli.errors import SpecError

PROMPT = "prompt"

RESERVED = frozenset(
    f"{ROW_KEY} prompts completion completions completion_ids completion_lengths finished rewards_per_func "
    "group_completions group_numbers group_rewards trainer_state log_extra log_metric image images self".split()
)
"""Names under which rewards and filters get something else, or which TRL takes for itself."""

_IMAGES = ("image", "images")

IN_A_SPEC = " (data.columns in a spec)"
"""What stands behind a mapping in messages, for who has a spec."""

_OF_TEMPLATES = {
    "tools": "write the tools into a system message",
    "chat_template_kwargs": "write trl.chat_template_kwargs, which is one for all rows",
}
"""Columns that TRL's other trainers hand to the chat template, and what to do here."""


def map_columns(rows: Rows, columns: Mapping[str, str]) -> Rows:
    """Rename columns: `columns` holds the new name of each column and the name it has in the source, or a path to a
    value within it (see `gpocli.columns.read_path`).

    A source column that is mapped is there under its new names only; it replaces a column that had such a name. One
    that a path leads into stays, unless its name is reserved. Raises SpecError when a source column does not exist.
    """
    for fault in unknown_columns(rows, columns):
        raise SpecError(fault)
    paths = {new: path for new, old in columns.items() if (path := read_path(old, rows.columns)) is not None}
    gone = {path.column for path in paths.values() if path.is_plain}
    gone |= {name for path in paths.values() for name in path.columns if name in RESERVED}
    # The mapping last: two columns may change their names with each other.
    sources = {name: ColumnPath(name, name) for name in rows.columns if name not in gone} | paths
    if all(path.is_plain and new == path.column for new, path in sources.items()):
        return rows
    return rows.with_values((_mapped(values, sources) for values in rows.values), tuple(sources))


def _mapped(values: Mapping[str, Any], sources: Mapping[str, ColumnPath]) -> dict[str, Any]:
    return {new: path.of(values) if path.hops or path.more else values[path.column] for new, path in sources.items()}


def unknown_columns(rows: Rows, columns: Mapping[str, str]) -> list[str]:
    """What is wrong with a mapping: a line for each source column that does not exist."""
    faults = []
    for new, old in columns.items():
        try:
            if read_path(old, rows.columns) is None:
                faults.append(_unknown(rows, new, old))
        except SpecError as error:
            faults.append(f"{rows.source}: {error}")
    return faults


def _unknown(rows: Rows, new: str, old: str) -> str:
    start, rest = re.fullmatch(r"(.[^.\[:+]*)(.*)", old, re.DOTALL).groups()  # type: ignore[union-attr]
    near = None if start in rows.columns else nearest_column(start, rows.columns)
    if near is not None:
        near = f"{near}{rest}"
    fix = f"did you mean '{near}'?" if near else "name one of these"
    if start in rows.columns and near is None:
        fix = "a way into a column is written column.key, column[0] or column:step"
    if new in rows.columns and new != PROMPT and near is None:
        fix = f"ours stands first: {_mapping(old, new)}"
    return f"{rows.source}: no column '{old}', which data.columns.{new} names; {found_columns(rows.columns)}; {fix}"


def empty_paths(rows: Rows, mapped: Rows, columns: Mapping[str, str]) -> list[str]:
    """A line for each mapping whose path leads to nothing in every row: `mapped` are the rows after it."""
    faults = []
    for new, old in columns.items():
        path = read_path(old, rows.columns)
        if path is None or path.is_plain or any(row[new] is not None for row in mapped):
            continue
        index = next((index for index, row in enumerate(rows) if row[path.column] is not None), 0)
        reason = path.why_not(rows[index])
        faults.append(
            f"{rows.place(index)}: '{old}', which data.columns.{new} names, is null in every row; here {reason}"
        )
    return faults


def reserved_columns(rows: Rows) -> list[str]:
    """A line for each column with a name under which a reward or filter would get something else."""
    return [_reserved(rows, name) for name in rows.columns if name in RESERVED]


def _reserved(rows: Rows, name: str) -> str:
    rename = _mapping(f"data_{name}", name)
    if name in _IMAGES and any(_is_image(row[name]) for row in rows):
        return (
            f"{rows.source}: the column '{name}' holds images, which are not trained on: prompts are text alone; name "
            f"data without them, or keep it for rewards with {rename}"
        )
    return (
        f"{rows.source}: the column name '{name}' is taken (rewards and filters get something else under it); "
        f"rename the column with {rename}"
    )


def _is_image(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, str | bytes | Mapping) and bool(first)


def unused_columns(rows: Rows) -> list[str]:
    """A line for each column that other tools put into the chat template, of chats; here it would do nothing."""
    faults = []
    for name, cure in _OF_TEMPLATES.items():
        if name not in rows.columns:
            continue
        first = next((index for index, row in enumerate(rows) if row.get(name)), None)
        if first is not None and isinstance(rows[first].get(PROMPT), list):
            faults.append(
                f"{rows.place(first)}: the column '{name}' does not reach the model, whose chat template would take it "
                f"elsewhere; {cure}, or keep it for rewards with {_mapping(f'data_{name}', name)}"
            )
    return faults


def found_columns(columns: tuple[str, ...]) -> str:
    """The columns that there are, for messages."""
    shown = ", ".join(f"'{name}'" for name in columns[:12])
    return f"columns found: {shown}{', ...' if len(columns) > 12 else ''}"


def nearest_column(name: str, columns: tuple[str, ...]) -> str | None:
    """The column that is called nearly so, None without one."""
    # Reversed, so that of ` prompt` and `Prompt` the first is named.
    plain = {column.strip().lower(): column for column in reversed(columns)}
    near = difflib.get_close_matches(name.strip().lower(), plain, n=1, cutoff=0.75)
    return plain[near[0]] if near else None


def mapping(columns: Mapping[str, str]) -> str:
    """How columns are mapped, on the command line and elsewhere."""
    flags = " ".join(f"--map {ours}={_quoted(theirs)}" for ours, theirs in columns.items())
    return f"{flags}{IN_A_SPEC}"


def _mapping(ours: str, theirs: str) -> str:
    return mapping({ours: theirs})


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w.:+]+", name) else f"'{name}'"  # for the shell
