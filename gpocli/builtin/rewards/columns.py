"""Data columns as rewards get them."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpocli.columns import read_path
from gpocli.errors import SpecError


def column(columns: Mapping[str, Any], name: str, reward: str, rows: int) -> Sequence[Any]:
    """The values of the data column `name`, one a completion, or what a path such as `reward_model.ground_truth` leads
    to in them. Raises `SpecError` when there is none.
    """
    values = columns.get(name)
    if values is None and (path := read_path(name, columns)) is not None and not path.is_plain:
        held = {one: column(columns, one, reward, rows) for one in path.columns}
        values = [path.of({one: cells[index] for one, cells in held.items()}) for index in range(rows)]
    if not isinstance(values, list | tuple):
        raise SpecError(
            f'reward "{reward}" needs the data column "{name}", which this data does not have; name another one '
            "with the option answer_column, or map one to it"
        )
    if len(values) != rows:
        raise ValueError(f'the column "{name}" has {len(values)} values for {rows} completions')
    return values


def one_each(values: Sequence[Any] | None, rows: int) -> Sequence[Any]:
    """What the caller gave for each completion; None for each where it gave nothing."""
    return [None] * rows if values is None else values
