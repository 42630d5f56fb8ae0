"""The picture of a run: where it is, what it does, how it moves, what it writes, and where its time goes."""

import textwrap
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from gpocli.display import sample
from gpocli.display.bars import LABEL, WIDE, position, time_split
from gpocli.display.charts import sparkline
from gpocli.display.pace import Pace
from gpocli.display.rows import Row, fitted, flowed, spread
from gpocli.glossary import legend
from gpocli.runs.activity import Activity
from gpocli.runs.records import CandidateRecord
from gpocli.runs.step_figures import StepFigures, named_rewards, read_logs, show, show_seconds

_FIGURE, _OVER_ALL = 9, 20
WORTH = (
    "position", "activity", "reward", "length", "rewards", "shares", "learning", "sample", "speed", "evaluation",
    "pull", "time", "legend",
)  # fmt: skip
"""The rows by their worth, as docs/running.md has it."""
_NOTHING_YET = "none yet"


class RunView:
    """The state of a run, drawn for any width from 40 columns and any height; readable without colour and in ASCII.

    A figure that was never told has no place. A step that trains on an earlier generation batch logs nothing about
    completions: the figures of that batch stay. Those of all candidates that a race hides are those of the last
    generation batch without one, with its step.
    """

    def __init__(self, description: str, pace: Pace, activity: Activity | None = None) -> None:
        self.description = description
        self.pace, self.activity = pace, activity or Activity()
        self.evaluation: tuple[int, StepFigures, dict[str, float | None]] | None = None
        self.last = StepFigures()
        self.whole: tuple[int, StepFigures] | None = None
        self.rewards: dict[str, float | None] = {}
        self.history: dict[str, list[float]] = {}
        self.phases: deque[tuple[float | None, ...]] = deque(maxlen=20)
        self.sample: CandidateRecord | None = None
        self._records: Sequence[CandidateRecord] = ()
        self._turn = 0
        self._doing = ""

    def add(self, logs: Mapping[str, Any]) -> None:
        """A step is done; `logs` may be empty."""
        if not logs:
            return
        figures = read_logs(logs)
        fresh = "reward" in logs or "completions/mean_length" in logs
        self.last = figures if fresh else _newer(self.last, figures)
        if figures.length_all is not None:
            self.whole = self.pace.step, figures
        self.rewards |= named_rewards(logs)
        courses = {"reward": figures.reward, "length": figures.length}
        courses |= {_of_reward(name): value for name, value in named_rewards(logs).items()}
        for name, value in courses.items():
            if value is not None:
                self.history.setdefault(name, []).append(value)
        if any(seconds is not None for seconds in figures.phases):
            self.phases.append(figures.phases)
        self._turn_over()

    def add_eval(self, logs: Mapping[str, Any]) -> None:
        """An evaluation is done."""
        self.evaluation = (self.pace.step, read_logs(logs, "eval_"), named_rewards(logs, "eval_"))

    def add_candidates(self, records: Sequence[CandidateRecord]) -> None:
        """A generation batch is there, of which one completion is shown, and another one after each step."""
        self._records = records
        self._turn_over()

    def end(self) -> None:
        """The run is over: nothing is done any more."""
        self.activity, self._doing = Activity(), ""

    def _turn_over(self) -> None:
        self._turn += 1
        self.sample = sample.pick(self._records, self._turn)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.size.height - 1 if options.is_terminal else None
        for line in self.lines(options.max_width, height, options.ascii_only):
            if options.ascii_only:
                line.plain = line.plain.encode("ascii", "replace").decode()
            line.truncate(options.max_width, overflow="crop" if options.ascii_only else "ellipsis")
            line.no_wrap = True
            yield line

    def lines(self, width: int, height: int | None = None, ascii_only: bool = False) -> list[Text]:
        """The picture, of no more than `height` lines: what does not fit goes in the order of its worth."""
        return fitted(list(self._rows(width, ascii_only)), height)

    def _rows(self, width: int, ascii_only: bool) -> Iterator[Row]:
        title = spread(Text(self.description, "bold"), Text(show_seconds(self.pace.elapsed()), "dim"), width)
        yield _row("position", [title, *([position(self.pace, width, ascii_only)] if self.pace.total else [])])
        yield _row("activity", [Text(doing, "cyan")] if (doing := self._activity()) else [])
        yield from self._courses(width, ascii_only)
        yield _row("pull", flowed(self._pull(), width))
        yield _row("shares", flowed(self._shares(), width))
        yield _row("learning", flowed(self._learning(), width))
        yield _row("speed", flowed(self._speed(), width))
        yield _row("time", time_split(self.phases, width, ascii_only))
        yield _row("evaluation", self._evaluation(width))
        yield _row("sample", self._sample(width, ascii_only))
        if self.last.is_filtered:
            words = textwrap.wrap(legend().replace("·", "-") if ascii_only else legend(), width)
            yield _row("legend", [Text(line, "dim") for line in words])

    def _activity(self) -> str:
        """What is done now; between two things the one before."""
        self._doing = str(self.activity) or self._doing
        return self._doing

    def _courses(self, width: int, ascii_only: bool) -> Iterator[Row]:
        """Figures with their course, and what those of reward and length are over all candidates."""
        last, wide = self.last, width >= WIDE
        if not self.history and not self.rewards:
            return
        over_all = bool(self._reward_of_all() or self._length_of_all())
        head = f"{'':{LABEL}}{'kept':<{_FIGURE}}" + ("all" if wide and over_all else "")
        heading = [Text(head.rstrip(), "dim")] if last.is_filtered else []
        reward = self._course("reward", "reward", show(last.reward, ".3f"), self._reward_of_all(), width, ascii_only)
        yield _row("reward", [*heading, *reward])
        for number, (name, value) in enumerate(self.rewards.items()):
            figure = _NOTHING_YET if _of_reward(name) not in self.history else show(value, ".3f")
            course = self._course(name, _of_reward(name), figure, "", width, ascii_only)
            yield _row("rewards", course, number)
        length = show(last.length, ".1f")
        yield _row("length", self._course("length", "length", length, self._length_of_all(), width, ascii_only))

    def _course(self, name: str, course: str, figure: str, over_all: str, width: int, ascii_only: bool) -> list[Text]:
        """A figure with its sparkline, and that over all candidates: between them, or below where there is no room."""
        label = Text(sample.printable(name), "dim")
        label.truncate(max(LABEL - 1, width // 4), overflow="crop" if ascii_only else "ellipsis")
        line = label.append(" " * max(1, LABEL - label.cell_len)).append(f"{figure:<{_FIGURE}}", "bold not dim")
        wide = width >= WIDE
        if wide and self.last.is_filtered:
            line.append(f"{over_all:<{_OVER_ALL}}", "not dim")
        values = self.history.get(course, [])
        line.append(sparkline(values, width - line.cell_len, ascii_only=ascii_only), "cyan not dim")
        line.rstrip()
        below = [Text(f"{'  all':<{LABEL}}", "dim").append(over_all, "not dim")] if over_all and not wide else []
        return [line, *below]

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

    def _shares(self) -> list[tuple[str, str]]:
        last = self.last
        filtered = [("kept", show(last.kept, "share")), ("lost", show(last.lost, "share"))] if last.is_filtered else []
        return _known([*filtered, ("flat groups", show(last.flat, "share")), ("cut", self._from_whole("cut", "share"))])

    def _learning(self) -> list[tuple[str, str]]:
        last = self.last
        pairs = [("entropy", show(last.entropy)), ("kl", show(last.kl)), ("clipped", show(last.clip, ".1%"))]
        pairs += [("lr", show(last.learning_rate, ".2g")), ("loss", show(last.loss, ".4f"))]
        return _known([*pairs, ("grad", show(last.grad_norm))])

    def _speed(self) -> list[tuple[str, str]]:
        speed = [("tokens/s", show(self.last.tokens_per_second, ",.0f"))]
        return _known([*speed, ("s/step", show(self.pace.seconds_a_step(), ".2f"))])

    def _pull(self) -> list[tuple[str, str]]:
        last = self.last
        pairs = [("length of right", show(last.right_length, ".1f")), ("of wrong", show(last.wrong_length, ".1f"))]
        return _known([*pairs, ("pull", "-" if last.length_pull is None else f"{last.length_pull:+.2f}")])

    def _evaluation(self, width: int) -> list[Text]:
        if self.evaluation is None:
            return []
        step, found, rewards = self.evaluation
        pairs = [("eval after step" if width >= WIDE else "eval", str(step))]
        pairs += _known([("reward", show(found.reward, ".3f")), ("length", show(found.length, ".1f"))])
        named = _known([(sample.printable(name), show(value, ".3f")) for name, value in rewards.items()])
        return flowed([*pairs, *named], width)

    def _sample(self, width: int, ascii_only: bool) -> list[Text]:
        """What became of one completion, the end of its prompt, and both ends of its text."""
        if (record := self.sample) is None:
            return []
        gap, newline = (" ... ", "\\n") if ascii_only else (" … ", "⏎")
        outcome, *more = sample.told(record)
        first = Text(f"{'sample':<{LABEL}}", "dim").append(outcome, "green" if record.kept else "yellow")
        first.append(f"  {'  '.join(more)}", "not dim")
        prompt = sample.end_of(record.prompt, width - 2, newline=newline)
        text = sample.both_ends(record.completion, width - 2, gap=gap, newline=newline)
        return [first, Text(f"  {prompt}", "dim"), Text(f"  {text}")]


def _row(name: str, lines: Sequence[Text], number: int = 0) -> Row:
    """A row at its place; of rewards those behind the fourth are worth less than all but time and legend."""
    late = name == "rewards" and number >= 4
    return Row(WORTH.index("pull" if late else name) + number / 1000, lines)


def _of_reward(name: str) -> str:
    """The course of a reward, whose name may be that of another figure."""
    return f"rewards/{name}"


def _known(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs of which something is known."""
    return [(name, figure) for name, figure in pairs if figure != "-"]


def _newer(before: StepFigures, after: StepFigures) -> StepFigures:
    known = {field.name: getattr(after, field.name) for field in fields(after)}
    return replace(before, **{name: value for name, value in known.items() if value is not None})
