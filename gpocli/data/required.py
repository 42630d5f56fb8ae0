"""Columns that must be there: the prompt, and what rewards need."""

from collections.abc import Iterable

from gpocli.columns import read_path
from gpocli.data.columns import PROMPT, found_columns, mapping, nearest_column
from gpocli.data.layouts import ANSWER, gold_of, layout_of, why_no_prompt
from gpocli.data.rows import Rows
from gpocli.errors import SpecError

_LIKELY_PROMPTS = ("question", "problem", "instruction", "query", "input", "messages", "conversation", "text")


def require_prompt_column(rows: Rows) -> None:
    """Raise SpecError when there is no column 'prompt', with the mapping that reads these rows, or may be meant."""
    if PROMPT not in rows.columns:
        likely = (name for name in _LIKELY_PROMPTS if name in rows.columns)
        near = nearest_column(PROMPT, rows.columns) or next(likely, "NAME")
        known = layout_of(rows)
        reason = why_no_prompt(rows) if known is None else None
        cure = f"{reason}; mend it, or map another one" if reason else "map one"
        raise SpecError(
            f"{rows.source}: no column 'prompt'; {found_columns(rows.columns)}; {cure} with "
            f"{mapping(known or {PROMPT: 'NAME' if reason else near})}"
        )


def has_column(rows: Rows, name: str) -> bool:
    """Whether a reward finds the column `name`, or what a path such as `reward_model.ground_truth` leads to.

    Raises SpecError for a path with a step that there is not.
    """
    return read_path(name, rows.columns) is not None


def require_columns(rows: Rows, reward_name: str, columns: Iterable[str]) -> None:
    """Raise SpecError when a column is missing without which the reward cannot work."""
    for name in columns:
        if not has_column(rows, name):
            known = gold_of(rows) if name == ANSWER else None
            near = known or nearest_column(name, rows.columns) or "NAME"
            raise SpecError(
                f"{rows.source}: reward '{reward_name}' needs a column '{name}'; {found_columns(rows.columns)}; "
                f"map one with {mapping({name: near})}"
            )
