"""The picture of a run in a dozen lines of text: where it is, how it moves, and where its time goes."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from gpocli.display.charts import sparkline, split_widths
from gpocli.display.pace import Pace
from gpocli.runs.step_figures import PHASES, StepFigures, read_logs, show, show_seconds

_LABEL, _FIGURE, _OVER_ALL = 10, 9, 20
_WIDE = 70
_PHASE_STYLES = ("cyan", "yellow", "magenta", "green")
_PHASE_MARKS, _ASCII_PHASE_MARKS = "█▓▒░", "#=+."


class RunView:
    """The state of a run, drawn for any width from 40 columns; readable without colour and in ASCII.

    A figure that is missing is shown as `-`. A step that trains on an earlier generation batch logs nothing about
    completions: the figures of that batch stay. Those of all candidates that a race hides are those of the last
    generation batch without one, with its step.
    """

    def __init__(self, description: str, pace: Pace) -> None:
        self.description = description
        self.pace = pace
        self.evaluation: tuple[int, StepFigures] | None = None
        self.last = StepFigures()
        self.whole: tuple[int, StepFigures] | None = None
        self.history: dict[str, list[float]] = {"reward": [], "accuracy": [], "length": []}
        self.phases: deque[tuple[float | None, ...]] = deque(maxlen=20)

    def add(self, logs: Mapping[str, Any]) -> None:
        """A step is done; `logs` may be empty."""
        if not logs:
            return
        figures = read_logs(logs)
        fresh = "reward" in logs or "completions/mean_length" in logs
        self.last = figures if fresh else _newer(self.last, figures)
        if figures.length_all is not None:
            self.whole = self.pace.step, figures
        for name, values in self.history.items():
            if (value := getattr(figures, name)) is not None:
                values.append(value)
        if any(seconds is not None for seconds in figures.phases):
            self.phases.append(figures.phases)

    def add_eval(self, logs: Mapping[str, Any]) -> None:
        """An evaluation is done."""
        self.evaluation = (self.pace.step, read_logs(logs, "eval_"))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._lines(options.max_width, options.ascii_only):
            if options.ascii_only:
                line.plain = line.plain.encode("ascii", "replace").decode()
            line.truncate(options.max_width, overflow="crop" if options.ascii_only else "ellipsis")
            line.no_wrap = True
            yield line

    def _lines(self, width: int, ascii_only: bool) -> Iterator[Text]:
        last, wide = self.last, width >= _WIDE
        yield _spread(Text(self.description, "bold"), Text(show_seconds(self.pace.elapsed()), "dim"), width)
        yield self._position(width, ascii_only)
        yield self._populations(wide)
        yield from self._course("reward", show(last.reward, ".3f"), self._reward_of_all(), width, ascii_only)
        yield from self._course("accuracy", show(last.accuracy, ".3f"), "", width, ascii_only)
        yield from self._course("length", show(last.length, ".1f"), self._length_of_all(), width, ascii_only)
        shares = [("kept", last.kept), ("lost", last.lost)] if last.is_filtered else []
        pairs = [(name, show(value, "share")) for name, value in [*shares, ("flat groups", last.flat)]]
        yield _figures([*pairs, ("cut", self._from_whole("cut", "share"))] if wide else pairs)
        pace = self.pace.seconds_a_step()
        speed = [("tokens/s", show(last.tokens_per_second, ",.0f")), ("s/step", show(pace, ".2f"))]
        yield _figures(speed + ([("loss", show(last.loss, ".4f")), ("grad", show(last.grad_norm))] if wide else []))
        yield from self._time_split(width, ascii_only)
        if self.evaluation:
            yield _evaluation(*self.evaluation, wide)

    def _populations(self, wide: bool) -> Text:
        """What the figures below are means over."""
        if not self.last.is_filtered:
            return Text()
        kept = f"{'':{_LABEL}}{'kept':<{_FIGURE}}"
        return Text(f"{kept}all" if wide else kept.rstrip(), "dim")

    def _reward_of_all(self) -> str:
        """Nothing where rewards are never asked of all."""
        ever = [self.last, *([] if self.whole is None else [self.whole[1]])]
        return "" if all(figures.reward_all is None for figures in ever) else self._from_whole("reward_all", ".3f")

    def _length_of_all(self) -> str:
        if not self.last.is_filtered:
            return ""
        if self.whole is None and self.last.length_bound is not None:
            return f"at least {show(self.last.length_bound, '.1f')}"
        return self._from_whole("length_all", ".1f")

    def _from_whole(self, name: str, style: str) -> str:
        """A figure of all candidates, with its step where that is not the last one."""
        value = getattr(self.last, name)
        if value is not None or self.whole is None:
            return show(value, style)
        step, figures = self.whole
        return f"{show(getattr(figures, name), style)} at step {step}"

    def _position(self, width: int, ascii_only: bool) -> Text:
        step, total = self.pace.step, self.pace.total
        share = min(1.0, step / total) if total else 0.0
        left = show_seconds(self.pace.left())
        head = Text(f"step {step}/{total} ")
        tail = Text(f" {share:4.0%}", "bold").append(f"  {left} left", "dim")
        room = max(4, width - head.cell_len - tail.cell_len)
        done = round(share * room)
        full, empty = ("#", ".") if ascii_only else ("━", "─")
        return Text.assemble(head, (full * done, "green"), (empty * (room - done), "dim"), tail)

    def _course(self, name: str, figure: str, over_all: str, width: int, ascii_only: bool) -> Iterator[Text]:
        """A figure with its sparkline, and that over all candidates: between them, or below where there is no room."""
        line = Text(f"{name:<{_LABEL}}", "dim").append(f"{figure:<{_FIGURE}}", "bold not dim")
        wide = width >= _WIDE
        if wide and self.last.is_filtered:
            line.append(f"{over_all:<{_OVER_ALL}}", "not dim")
        line.append(sparkline(self.history[name], width - line.cell_len, ascii_only=ascii_only), "cyan not dim")
        yield line
        if over_all and not wide:
            yield Text(f"{'  all':<{_LABEL}}", "dim").append(over_all, "not dim")

    def _time_split(self, width: int, ascii_only: bool) -> Iterator[Text]:
        spent = [sum(seconds[phase] or 0.0 for seconds in self.phases) for phase in range(len(PHASES))]
        marks = _ASCII_PHASE_MARKS if ascii_only else _PHASE_MARKS
        line = Text(f"{'time':<{_LABEL}}", "dim")
        widths = split_widths(spent, width - _LABEL)
        if not sum(widths):
            yield line.append("-", "not dim")
            return
        for mark, cells, style in zip(marks, widths, _PHASE_STYLES, strict=True):
            line.append(mark * cells, f"{style} not dim")
        yield line
        shares = [show(seconds / sum(spent), "share") for seconds in spent]
        legend = [
            Text.assemble((mark, style), f" {name} {share}")
            for mark, style, name, share in zip(marks, _PHASE_STYLES, PHASES, shares, strict=True)
        ]
        indent, rows = (" " * _LABEL, [legend]) if width >= _WIDE else ("", [legend[:2], legend[2:]])
        for row in rows:
            yield Text.assemble(indent, Text("  ").join(row))


def _evaluation(step: int, found: StepFigures, wide: bool) -> Text:
    pairs = [("accuracy", show(found.accuracy, ".3f")), ("length", show(found.length, ".1f"))]
    if wide:
        pairs = [("reward", show(found.reward, ".3f")), *pairs]
    return Text.assemble((f"eval after step {step}  " if wide else f"eval {step}  ", "dim"), _figures(pairs))


def _figures(pairs: Sequence[tuple[str, str]]) -> Text:
    return Text("   ").join(Text.assemble((f"{name} ", "dim"), text) for name, text in pairs)


def _spread(left: Text, right: Text, width: int) -> Text:
    left.truncate(max(0, width - right.cell_len - 1), overflow="ellipsis")
    return Text.assemble(left, " " * (width - left.cell_len - right.cell_len), right)


def _newer(before: StepFigures, after: StepFigures) -> StepFigures:
    known = {field.name: getattr(after, field.name) for field in fields(after)}
    return replace(before, **{name: value for name, value in known.items() if value is not None})
