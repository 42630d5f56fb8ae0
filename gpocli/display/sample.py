"""One sampled completion to look at: which, what is said of it, and its text as a terminal can take it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from rich.cells import cell_len

from gpocli.runs.records import CandidateRecord
from gpocli.runs.step_figures import show

_STRIDE = 7919
"""A prime: turns go through all candidates of a batch before they come back to one."""
_LOOKED_AT = 500
"""Characters at both ends of a text that are looked at; no terminal shows more."""


def pick(records: Sequence[CandidateRecord], turn: int) -> CandidateRecord | None:
    """A candidate of a generation batch, another one each turn: in odd turns a kept one, else one that is not."""
    kept, others = [one for one in records if one.kept], [one for one in records if not one.kept]
    if kept and others:
        records, turn = kept if turn % 2 else others, turn // 2
    return records[turn * _STRIDE % len(records)] if records else None


def told(record: CandidateRecord) -> list[str]:
    """What became of a candidate: its outcome, reward, length and whether it was cut."""
    is_cut = not record.finished and record.outcome != "lost"
    parts: list[str] = [record.outcome]
    parts += [] if record.reward is None else [f"reward {show(record.reward, '.3f')}"]
    parts += [] if record.advantage is None else [f"advantage {record.advantage:+.2f}"]
    return [*parts, f"{record.length} tokens{', cut' if is_cut else ''}"]


def printable(text: str, newline: str = "⏎") -> str:
    """One line of a text: whatever could move a cursor or change a colour is written out."""
    return "".join(_shown(character, newline) for character in text)


@lru_cache(maxsize=4)  # a live display asks several times a second for the same
def both_ends(text: str, width: int, *, gap: str = " … ", newline: str = "⏎") -> str:
    """A text in one line of `width` cells: where it is longer, its beginning and, of the same length, its end."""
    if len(text) > 2 * _LOOKED_AT:
        text = text[:_LOOKED_AT] + text[-_LOOKED_AT:]
    line = printable(text, newline)
    if cell_len(line) <= width:
        return line
    room = max(0, width - cell_len(gap))
    head = "".join(_within(line, room - room // 2))
    tail = "".join(_within(reversed(line), room // 2))[::-1]
    return f"{head}{gap}{tail}"


@lru_cache(maxsize=4)
def end_of(text: str, width: int, *, newline: str = "⏎") -> str:
    """The end of a text in one line of `width` cells."""
    return "".join(_within(reversed(printable(text[-_LOOKED_AT:], newline)), width))[::-1]


def _shown(character: str, newline: str) -> str:
    if character == "\n":
        return newline
    return character if character.isprintable() else ascii(character)[1:-1]


def _within(characters: Sequence[str] | Iterator[str], width: int) -> Iterator[str]:
    """The first characters that take no more than `width` cells."""
    for character in characters:
        width -= cell_len(character)
        if width < 0:
            return
        yield character
