"""A data source looked at as a whole: every kind of fault with its number and first place, repeats, and counts."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpocli.data.columns import (
    PROMPT,
    map_columns,
    require_prompt_column,
    reserved_columns,
    unknown_columns,
)
from gpocli.data.faults import OnFault
from gpocli.data.prompts import BadPromptError, BadRows, prepare_prompts, read_prompt
from gpocli.data.rows import Rows
from gpocli.errors import SpecError

Kind = str
_KINDS: tuple[tuple[type | tuple[type, ...], Kind], ...] = (
    (bool, "true or false"),
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
    """

    source: str
    total: int = 0
    digest: str | None = None
    kinds: dict[str, dict[Kind, int]] = field(default_factory=dict)
    table: Rows | None = None
    rows: Rows | None = None
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def survey(
    source: str,
    read: Callable[[OnFault], Rows],
    *,
    columns: Mapping[str, str] | None = None,
    system: str | None = None,
    as_chat: bool = False,
    bad_rows: BadRows = "refuse",
    gold: Sequence[str] = (),
) -> Survey:
    """Look at all rows that `read` gives, told to go on after a fault; finds what `prepare` would refuse, and more.

    `gold` are the columns with the answers that rewards need: the same prompt with another answer is noted.
    """
    found = Survey(source)
    tally = _Tally(found.faults)
    try:
        raw = read(lambda fault: tally.add(fault.kind, str(fault)))
    except SpecError as error:
        found.faults.append(str(error))
        return found
    tally.close()
    found.source, found.total, found.digest = raw.source, len(raw), raw.digest
    if not raw.values:
        if not found.faults:
            found.faults.append(f"{raw.source}: holds no rows; name a source that has some")
        return found
    found.faults += unknown_columns(raw, columns or {})
    rows = map_columns(raw, {new: old for new, old in (columns or {}).items() if old in raw.columns})
    found.table = rows
    found.kinds = {name: _counted(kind_of(row[name]) for row in rows) for name in rows.columns}
    found.faults += reserved_columns(rows)
    try:
        require_prompt_column(rows)
    except SpecError as error:
        found.faults.append(str(error))
        return found
    usable = _usable(rows, bad_rows, found)
    if len(usable) == 0:
        return found
    found.rows = _prepared(usable, system, as_chat, found)
    _note_mixed_columns(rows, found)
    _note_repeats(usable, [name for name in gold if name in rows.columns], found)
    return found


def kind_of(value: Any) -> Kind:
    """What people call a value of this type."""
    if value is None:
        return "missing"
    return next((name for types, name in _KINDS if isinstance(value, types)), type(value).__name__)


class _Tally:
    """Lines that are counted by kind; the first of a kind stands for all."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.first: dict[str, str] = {}
        self.counts: dict[str, int] = {}

    def add(self, kind: str, line: str) -> None:
        self.first.setdefault(kind, line)
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def close(self) -> None:
        for kind, line in self.first.items():
            count = self.counts[kind]
            self.lines.append(line if count == 1 else f"{line} (the first of {count:,})")


def _usable(rows: Rows, bad_rows: BadRows, found: Survey) -> Rows:
    """The rows with a usable prompt; the others are told, as faults or as notes."""
    tally = _Tally(found.faults if bad_rows == "refuse" else found.notes)
    cure = "mend it, or set data.bad_rows=drop" if bad_rows == "refuse" else "the row is dropped"
    kept = []
    for index, row in enumerate(rows):
        try:
            read_prompt(row.get(PROMPT), from_table=rows.is_of_table(index))
        except BadPromptError as reason:
            tally.add(reason.kind, f"{rows.place(index)}: {reason.detail}; {cure}")
        else:
            kept.append(index)
    tally.close()
    if not kept and bad_rows == "drop":
        found.faults.append(f"{rows.source}: no row has a usable prompt; mend the rows")
    return rows.select(kept)


def _prepared(rows: Rows, system: str | None, as_chat: bool, found: Survey) -> Rows | None:
    chats = [index for index, row in enumerate(rows) if isinstance(row[PROMPT], list)]
    try:
        return prepare_prompts(rows, system=system, as_chat=as_chat)
    except SpecError as error:
        first_is_chat = bool(chats) and chats[0] == 0
        others = len(rows) - len(chats) if first_is_chat else len(chats)
        found.faults.append(f"{error} (the first of {others:,})" if others > 1 else str(error))
        return None


def _note_mixed_columns(rows: Rows, found: Survey) -> None:
    """Note columns that hold values of several kinds: rewards get each as it is."""
    for name, counts in found.kinds.items():
        kinds = [kind for kind in counts if kind != "missing"]
        if name == PROMPT or len(kinds) < 2:
            continue
        rarest = min(kinds, key=lambda kind: counts[kind])
        first = next(index for index, row in enumerate(rows) if kind_of(row[name]) == rarest)
        listed = ", ".join(f"{kind} {counts[kind]:,}" for kind in kinds)
        found.notes.append(
            f"{rows.place(first)}: column '{name}' holds several kinds of values ({listed}; the first {rarest} is "
            "here); rewards get each as it is"
        )


def _note_repeats(rows: Rows, gold: list[str], found: Survey) -> None:
    """Note prompts that come again, apart from those that come again with another answer."""
    seen: dict[str, int] = {}
    tally = _Tally(found.notes)
    for index, row in enumerate(rows):
        first = seen.setdefault(_identity(row[PROMPT]), index)
        if first == index:
            continue
        other = [name for name in gold if _identity(row[name]) != _identity(rows[first][name])]
        if other:
            values = f"{_brief(row[other[0]])}, not {_brief(rows[first][other[0]])}"
            line = f"the prompt of {rows.place(first)} again, with another '{other[0]}' ({values})"
            tally.add("another answer", f"{rows.place(index)}: {line}; one of them is wrong")
        else:
            tally.add("again", f"{rows.place(index)}: the prompt of {rows.place(first)} again")
    tally.close()


def _identity(value: Any) -> str:
    """A text that is the same for the same value only; 1, 1.0, true and "1" differ."""
    return json.dumps(value, sort_keys=True, default=repr)


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else _identity(value)
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _counted(kinds: Any) -> dict[Kind, int]:
    counts: dict[Kind, int] = {}
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    return counts
