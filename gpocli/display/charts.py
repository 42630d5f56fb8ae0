"""Small charts made of characters: sparklines and split bars."""

import itertools
from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII_BLOCKS = "_.:-=+*#"


def sparkline(values: Sequence[float | None], width: int, *, ascii_only: bool = False) -> str:
    """The course of `values` in at most `width` characters, the lowest as the lowest block.

    Missing values are passed over; more values than characters are averaged. A flat course is a middle line.
    """
    known = [value for value in values if value is not None]
    if not known or width < 1:
        return ""
    count = min(width, len(known))
    edges = [len(known) * number // count for number in range(count + 1)]
    means = [sum(known[low:high]) / (high - low) for low, high in itertools.pairwise(edges)]
    blocks = _ASCII_BLOCKS if ascii_only else _BLOCKS
    low, high = min(means), max(means)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        return blocks[3] * count
    return "".join(blocks[round((mean - low) / (high - low) * (len(blocks) - 1))] for mean in means)


def split_widths(parts: Sequence[float], width: int) -> list[int]:
    """Whole widths for `parts` that add up to `width`, by largest remainder; all 0 when the parts are."""
    total = sum(parts)
    if total <= 0:
        return [0] * len(parts)
    exact = [part / total * width for part in parts]
    widths = [int(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda index: widths[index] - exact[index])
    for index in by_remainder[: width - sum(widths)]:
        widths[index] += 1
    return widths
