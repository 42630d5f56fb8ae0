"""Plain lines, without escape codes: for pipes, files and terminals that cannot move the cursor."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from gpocli.display import sample
from gpocli.display.heartbeat import Heartbeat
from gpocli.display.progress import ConsoleProgress
from gpocli.glossary import legend
from gpocli.runs.activity import Activity
from gpocli.runs.records import CandidateRecord
from gpocli.runs.step_figures import StepFigures, named_rewards, read_logs, show, show_seconds

QUIET = 60.0
"""Seconds without a line after which one says what the run does."""
_SAMPLE_WIDTH = 160


class PlainLines(ConsoleProgress):
    """One line a logged step and one of its completions under it; figures that are not told are left out.

    Of a step that takes long, a line a minute says how far it is.
    """

    soft_wrap = True

    def __init__(self, console: Console, quiet: float = QUIET) -> None:
        super().__init__(console)
        self._records: Sequence[CandidateRecord] = ()
        self._has_legend = False
        self._heartbeat = Heartbeat(quiet, self._say_activity)

    def __exit__(self, *error: object) -> None:
        self._heartbeat.stop()

    def watch(self, activity: Activity, description: str = "") -> None:
        super().watch(activity, description)
        self._heartbeat.start()

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        super().start(total_steps, description, first_step)
        done = f", going on after step {first_step}" if first_step else ""
        self.note(f"{description}: {total_steps} {'step' if total_steps == 1 else 'steps'}{done}")

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        super().step(step, logs)
        if not logs:
            return
        figures, total = read_logs(logs), self.pace.total
        if figures.is_filtered and not self._has_legend:
            self._has_legend = True
            self.note(legend())
        parts = [f"step {step:>{len(str(total))}}/{total}"]
        parts += ["no new generation"] if logs.get("new_generation") is False else _completions(figures, logs)
        parts += [*_learning(figures), f"left {show_seconds(self.pace.left())}"]
        self.note("  ".join(parts))
        if record := sample.pick(self._records, step):
            text = sample.both_ends(record.completion, _SAMPLE_WIDTH)
            self.note(f"  {', '.join(sample.told(record))}: {text}")

    def candidates(self, records: Sequence[CandidateRecord]) -> None:
        self._records = records

    def eval(self, logs: Mapping[str, Any]) -> None:
        means = _means(read_logs(logs, "eval_"), named_rewards(logs, "eval_"))
        self.note("  ".join([f"eval after step {self.pace.step}", *means]))

    def note(self, text: str) -> None:
        self._heartbeat.put_off()
        super().note(text)

    def _say_activity(self) -> None:
        if doing := str(self.activity):
            place = f"step {self.pace.step + 1}/{self.pace.total}: " if self.pace.total else ""
            super().note(f"{place}{doing}")


def _completions(figures: StepFigures, logs: Mapping[str, Any]) -> list[str]:
    """What a step's line says about its completions: the kept ones, then all, where a filter is at work."""
    means = _means(figures, named_rewards(logs))
    flat = _told(("flat groups", figures.flat, "share"), ("cut", figures.cut, "share"))
    pull = _told(("length of right", figures.right_length, ".1f"), ("of wrong", figures.wrong_length, ".1f"))
    pull += _told(("pull", figures.length_pull, "+.2f"))
    if not figures.is_filtered:
        return [*means, *flat, *pull]
    return [f"kept {show(figures.kept, 'share')}: {'  '.join(means)}", f"all: {_of_all(figures)}", *flat, *pull]


def _means(figures: StepFigures, rewards: Mapping[str, float | None]) -> list[str]:
    named = [f"{sample.printable(name)} {show(value, '.3f')}" for name, value in rewards.items()]
    return [f"reward {show(figures.reward, '.3f')}", *named, *_told(("length", figures.length, ".1f"))]


def _of_all(figures: StepFigures) -> str:
    parts = _told(("reward", figures.reward_all, ".3f"), ("length", figures.length_all, ".1f"))
    if figures.length_all is None:
        parts += _told(("length at least", figures.length_bound, ".1f"))
    return "  ".join(parts + _told(("lost", figures.lost, "share")))


def _learning(figures: StepFigures) -> list[str]:
    parts = _told(
        ("loss", figures.loss, ".4f"), ("grad", figures.grad_norm, ".3g"), ("entropy", figures.entropy, ".3g")
    )
    parts += _told(("kl", figures.kl, ".3g"), ("clipped", figures.clip, ".1%"), ("lr", figures.learning_rate, ".2g"))
    speed = figures.tokens_per_second
    return parts if speed is None else [*parts, f"{speed:,.0f} tokens/s"]


def _told(*figures: tuple[str, float | None, str]) -> list[str]:
    """`name figure` of those that are known."""
    return [f"{name} {show(value, style)}" for name, value, style in figures if value is not None]
