"""A data source looked at as a whole: every kind of fault with its number and first place, repeats, and counts."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpocli.columns import ColumnPath, read_path
from gpocli.data.columns import (
    PROMPT,
    empty_paths,
    map_columns,
    reserved_columns,
    unknown_columns,
    unused_columns,
)
from gpocli.data.layouts import layout_of
from gpocli.data.named import NamedRows
from gpocli.data.prompt import BadPromptError, read_prompt
from gpocli.data.prompts import prepare_prompts
from gpocli.data.repeats import add_empty, add_repeats, prompt_hashes
from gpocli.data.required import require_prompt_column
from gpocli.data.rows import OnFault, Rows
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),  # before numbers, which Python takes it for
    (str, "text"),
    ((int, float), "number"),
    (list, "list"),
    (dict, "object"),
)


@dataclass(slots=True)
class Survey:
    """What there is in a source. `faults` keep it from being trained on, `notes` are worth a look, a line each.

    `total` counts the rows that could be read. `table` holds them under their mapped names, and `rows` those that a run
    would get (None where there is none).
    `kinds` holds, for each column, how many rows hold which kind of value ("missing" is null or not there).
    `named` are the rows that notes are about, and `hashes` stand for the prompts of `rows`.
    """

    source: str
    total: int = 0
    digest: str | None = None
    kinds: dict[str, dict[str, int]] = field(default_factory=dict)
    table: Rows | None = None
    rows: Rows | None = None
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    named: NamedRows = field(default_factory=NamedRows)
    hashes: "array[int]" = field(default_factory=lambda: array("Q"))


def survey(data: DataSpec, read: Callable[[OnFault], Rows], gold: Sequence[str] = ()) -> Survey:
    """Look at all rows that `read` gives, told to go on after a fault; finds what `prepare` would refuse, and more.

    `gold` are the columns with the answers that rewards need: the same prompt with another answer is noted.
    """
    found = Survey(data.source)
    told = _Tally()
    try:
        raw = read(lambda fault: told.add(fault.kind, str(fault)))
    except SpecError as error:
        found.faults.append(str(error))
        return found
    found.faults += told.lines()
    found.source, found.total, found.digest = raw.source, len(raw), raw.digest
    if not raw.values:
        found.faults = found.faults or [f"{raw.source}: holds no rows; name a source that has some"]
        return found
    found.faults += unknown_columns(raw, data.columns)
    # As far as it can be mapped, so that what is wrong with the rest is told at once too.
    known = {new: old for new, old in data.columns.items() if not unknown_columns(raw, {new: old})}
    rows = map_columns(raw, known)
    found.faults += empty_paths(raw, rows, known)
    found.table = rows
    found.kinds = _kinds(rows)
    found.faults += reserved_columns(rows)
    try:
        require_prompt_column(rows)
    except SpecError as error:
        found.faults.append(str(error))
        found.faults += unused_columns(map_columns(rows, layout_of(rows) or {}))  # then they would be refused for these
        return found
    usable = _usable(rows, data, found)
    if len(usable) == 0:
        return found
    found.rows = _prepared(usable, data, found)
    found.faults += [] if found.rows is None else unused_columns(found.rows)
    found.notes += _mixed_columns(rows, found.kinds)
    paths = gold_paths(rows, gold)
    found.hashes = prompt_hashes(usable)
    add_repeats(found.named, usable, found.hashes, paths)
    add_empty(found.named, usable, paths)
    found.notes += map(str, found.named)
    return found


def gold_paths(rows: Rows, gold: Sequence[str]) -> list[ColumnPath]:
    """The ways to answers, of those that are there."""
    paths = (read_path(name, rows.columns) for name in gold)
    return [path for path in paths if path is not None]


def kind_of(value: Any) -> str:
    """What people call a value of this type."""
    if value is None:
        return "missing"
    return next((name for types, name in _KINDS if isinstance(value, types)), type(value).__name__)


def _kinds(rows: Rows) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in rows.columns}
    for row in rows:
        for name, value in row.items():
            counts[name][kind_of(value)] += 1
    return {name: dict(counter) for name, counter in counts.items()}


class _Tally:
    """The first line of each kind, which stands for all, with their number."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, line: str) -> None:
        self._first.setdefault(kind, line)
        self._counts[kind] += 1

    def lines(self) -> list[str]:
        counts = self._counts
        told = self._first.items()
        return [line if counts[kind] == 1 else f"{line} (the first of {counts[kind]:,})" for kind, line in told]


def _usable(rows: Rows, data: DataSpec, found: Survey) -> Rows:
    """The rows with a usable prompt; the others are told, as faults or as notes."""
    fix = "mend it, or set data.bad_rows=drop" if data.bad_rows == "refuse" else "the row is dropped"
    kept = array("Q")
    bad = _Tally()
    for index, row in enumerate(rows):
        try:
            read_prompt(row[PROMPT], chat=data.chat, from_table=rows.is_of_table(index))
            kept.append(index)
        except BadPromptError as reason:
            bad.add(reason.kind, f"{rows.place(index)}: {reason.detail}; {fix}")
    (found.faults if data.bad_rows == "refuse" else found.notes).extend(bad.lines())
    if not kept and data.bad_rows == "drop":
        found.faults.append(f"{rows.source}: no row has a usable prompt; mend the rows")
    return rows.select(kept)


def _prepared(rows: Rows, data: DataSpec, found: Survey) -> Rows | None:
    try:
        return prepare_prompts(rows, data)
    except SpecError as error:  # plain prompts and chats are mixed
        is_chat = isinstance(rows[0][PROMPT], list)
        others = sum(isinstance(row[PROMPT], list) != is_chat for row in rows)
        found.faults.append(f"{error} (the first of {others:,})" if others > 1 else str(error))
        return None


def _mixed_columns(rows: Rows, kinds_of: dict[str, dict[str, int]]) -> Iterator[str]:
    """A line for each column that holds values of several kinds: rewards get each as it is."""
    for name, counts in kinds_of.items():
        kinds = [kind for kind in counts if kind != "missing"]
        if name == PROMPT or len(kinds) < 2:
            continue
        rarest = min(kinds, key=lambda kind: counts[kind])
        first = next(index for index, row in enumerate(rows) if kind_of(row[name]) == rarest)
        listed = ", ".join(f"{kind} {counts[kind]:,}" for kind in kinds)
        yield (
            f"{rows.place(first)}: column '{name}' holds several kinds of values ({listed}; the first {rarest} is "
            "here); rewards get each as it is"
        )
