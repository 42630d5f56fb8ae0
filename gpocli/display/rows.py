"""Rows of a picture, each with its worth: what does not fit is left out from the least of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text

_GAP = 3


@dataclass(frozen=True, slots=True)
class Row:
    """Lines that stand together; of two rows the one with the smaller `place` is worth more."""

    place: float
    lines: Sequence[Text]


def fitted(rows: Sequence[Row], height: int | None) -> list[Text]:
    """The lines of `rows` in their order, of as many as fit into `height`, the most worthy first; None: of all."""
    if height is None:
        return [line for row in rows for line in row.lines]
    chosen: set[int] = set()
    room = height
    for number in sorted(range(len(rows)), key=lambda number: rows[number].place):
        if len(rows[number].lines) > room:
            break
        chosen.add(number)
        room -= len(rows[number].lines)
    return [line for number in sorted(chosen) for line in rows[number].lines]


def flowed(pairs: Iterable[tuple[str, str]], width: int) -> list[Text]:
    """`name figure` one behind the other, in as many lines as they need; a pair is never broken."""
    lines: list[Text] = []
    for name, figure in pairs:
        pair = Text.assemble((f"{name} ", "dim"), figure)
        if lines and lines[-1].cell_len + _GAP + pair.cell_len <= width:
            lines[-1].append(" " * _GAP).append_text(pair)
        else:
            lines.append(pair)
    return lines


def spread(left: Text, right: Text, width: int) -> Text:
    """Two texts at the two ends of a line; the left one is cut where there is no room for both."""
    left.truncate(max(0, width - right.cell_len - 1), overflow="ellipsis")
    return Text.assemble(left, " " * (width - left.cell_len - right.cell_len), right)
