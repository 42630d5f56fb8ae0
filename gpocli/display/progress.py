"""How a run shows where it is: the protocol, plain lines for files and pipes, and nothing at all."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console

from gpocli.display.pace import Pace
from gpocli.runs.step_figures import Reading, read_logs, show, show_seconds
from gpocli.runs.summary import RunSummary


class Progress(Protocol):
    """What shows a run, used as a context manager so that the terminal is whole again whatever happens.

    `logs` are a trainer's; any key may be missing, None or NaN. Steps count from 1 and are optimizer steps.
    """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        """Training begins; `first_step` steps were done before, by the run that is gone on with."""

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        """Step `step` is done; `logs` is empty when nothing was logged for it."""

    def eval(self, logs: Mapping[str, Any]) -> None:
        """An evaluation is done; its keys start with `eval_`."""

    def note(self, text: str) -> None:
        """A line for the user, apart from the figures."""

    def finish(self, summary: RunSummary | None) -> None:
        """Training ended by itself."""

    def interrupted(self) -> None:
        """Training was stopped before its end."""


class NullProgress:
    """Shows nothing: for the processes of a run that are not the main one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        return

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        return

    def eval(self, logs: Mapping[str, Any]) -> None:
        return

    def note(self, text: str) -> None:
        return

    def finish(self, summary: RunSummary | None) -> None:
        return

    def interrupted(self) -> None:
        return


class PlainLines(NullProgress):
    """One line a logged step, without escape codes: for pipes, files and terminals that cannot move the cursor."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._total = 0
        self._step = 0
        self._pace = Pace()

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        self._total, self._step = total_steps, first_step
        self._pace = Pace(first_step)
        done = f", going on after step {first_step}" if first_step else ""
        self.note(f"{description}: {total_steps} {'step' if total_steps == 1 else 'steps'}{done}")

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        self._step = step
        self._pace.tick(step)
        if not logs:
            return
        reading = read_logs(logs)
        parts = [f"step {step:>{len(str(self._total))}}/{self._total}"]
        parts += ["no new generation"] if logs.get("new_generation") is False else _completions(reading)
        parts += [
            f"loss {show(reading.loss, '.4f')}",
            f"grad {show(reading.grad_norm)}",
            f"{show(reading.tokens_per_second, ',.0f')} tokens/s",
            f"left {show_seconds(self._pace.left(self._total))}",
        ]
        self.note("  ".join(parts))

    def eval(self, logs: Mapping[str, Any]) -> None:
        reading = read_logs(logs, "eval_")
        parts = [
            f"eval after step {self._step}",
            f"reward {show(reading.reward, '.3f')}",
            f"accuracy {show(reading.accuracy, '.3f')}",
            f"length {show(reading.length, '.1f')}",
        ]
        self.note("  ".join(parts))

    def note(self, text: str) -> None:
        self.console.print(printable(text, self.console), markup=False, emoji=False, highlight=False, soft_wrap=True)

    def finish(self, summary: RunSummary | None) -> None:
        for line in summary.lines() if summary else []:
            self.note(line)

    def interrupted(self) -> None:
        self.note(f"interrupted after step {self._step} of {self._total}")


def open_progress(console: Console, *, main_process: bool = True) -> Progress:
    """The progress that suits `console`: live on a terminal, plain lines elsewhere, nothing in other processes."""
    if not main_process:
        return NullProgress()
    if console.is_terminal and not console.is_dumb_terminal:
        from gpocli.display.live import LiveDisplay

        return LiveDisplay(console)
    return PlainLines(console)


def printable(text: str, console: Console) -> str:
    """`text` with what the console's encoding cannot show written out as escapes."""
    return text.encode(console.encoding, "backslashreplace").decode(console.encoding)


def _completions(reading: Reading) -> list[str]:
    """What a step's line says about its completions; shares only where a filter is at work."""
    reward_all = None if reading.reward_all == reading.reward else reading.reward_all
    length_all = None if reading.length_all == reading.length else reading.length_all
    parts = [
        f"reward {show(reading.reward, '.3f')}" + (f" (all {reward_all:.3f})" if reward_all is not None else ""),
        f"accuracy {show(reading.accuracy, '.3f')}",
        f"length {show(reading.length, '.1f')}" + (f" (all {length_all:.1f})" if length_all is not None else ""),
    ]
    if reading.kept is not None or reading.lost is not None:
        parts += [f"kept {show(reading.kept, 'share')}", f"lost {show(reading.lost, 'share')}"]
    return [*parts, f"flat {show(reading.flat, 'share')}"]
