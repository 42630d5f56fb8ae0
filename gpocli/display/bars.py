"""The bars of a run: how far it is, and where its time goes."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from gpocli.display.charts import split_widths
from gpocli.display.pace import Pace
from gpocli.runs.step_figures import PHASES, show, show_seconds

LABEL = 10
"""Cells of what stands before a row's figure."""
WIDE = 70
"""Columns from which rows stand side by side."""
_STYLES = ("cyan", "yellow", "magenta", "green")
_MARKS, _ASCII_MARKS = "█▓▒░", "#=+."


def position(pace: Pace, width: int, ascii_only: bool) -> Text:
    """How many steps are done, as a bar, and how long the rest takes."""
    step, total = pace.step, pace.total
    share = min(1.0, step / total) if total else 0.0
    head = Text(f"step {step}/{total} ")
    tail = Text(f" {share:4.0%}", "bold").append(f"  {show_seconds(pace.left())} left", "dim")
    room = max(4, width - head.cell_len - tail.cell_len)
    done = round(share * room)
    full, empty = ("#", ".") if ascii_only else ("━", "─")
    return Text.assemble(head, (full * done, "green"), (empty * (room - done), "dim"), tail)


def time_split(phases: Iterable[Sequence[float | None]], width: int, ascii_only: bool) -> list[Text]:
    """The shares of the parts of a step in its time, as a bar with its legend; nothing where no time was told."""
    told = list(phases)
    spent = [sum(seconds[part] or 0.0 for seconds in told) for part in range(len(PHASES))]
    marks = _ASCII_MARKS if ascii_only else _MARKS
    bar = Text(f"{'time':<{LABEL}}", "dim")
    widths = split_widths(spent, width - LABEL)
    if not sum(widths):
        return []
    for mark, cells, style in zip(marks, widths, _STYLES, strict=True):
        bar.append(mark * cells, f"{style} not dim")
    shares = [show(seconds / sum(spent), "share") for seconds in spent]
    legend = [
        Text.assemble((mark, style), f" {name} {share}")
        for mark, style, name, share in zip(marks, _STYLES, PHASES, shares, strict=True)
    ]
    indent, rows = (" " * LABEL, [legend]) if width >= WIDE else ("", [legend[:2], legend[2:]])
    return [bar, *(Text.assemble(indent, Text("  ").join(row)) for row in rows)]
