"""Plain lines, without escape codes: for pipes, files and terminals that cannot move the cursor."""

from collections.abc import Mapping
from typing import Any

from gpocli.display.progress import ConsoleProgress
from gpocli.runs.step_figures import StepFigures, read_logs, show, show_seconds


class PlainLines(ConsoleProgress):
    """One line a logged step."""

    soft_wrap = True

    def start(self, total_steps: int, description: str, first_step: int = 0) -> None:
        super().start(total_steps, description, first_step)
        done = f", going on after step {first_step}" if first_step else ""
        self.note(f"{description}: {total_steps} {'step' if total_steps == 1 else 'steps'}{done}")

    def step(self, step: int, logs: Mapping[str, Any]) -> None:
        super().step(step, logs)
        if not logs:
            return
        figures, total = read_logs(logs), self.pace.total
        parts = [f"step {step:>{len(str(total))}}/{total}"]
        parts += ["no new generation"] if logs.get("new_generation") is False else _completions(figures)
        parts += [
            f"loss {show(figures.loss, '.4f')}",
            f"grad {show(figures.grad_norm)}",
            f"{show(figures.tokens_per_second, ',.0f')} tokens/s",
            f"left {show_seconds(self.pace.left())}",
        ]
        self.note("  ".join(parts))

    def eval(self, logs: Mapping[str, Any]) -> None:
        self.note("  ".join([f"eval after step {self.pace.step}", *_means(read_logs(logs, "eval_"))]))


def _completions(figures: StepFigures) -> list[str]:
    """What a step's line says about its completions: the kept ones, then all, where a filter is at work."""
    flat = f"flat groups {show(figures.flat, 'share')}"
    if not figures.is_filtered:
        return [*_means(figures), flat]
    return [f"kept {show(figures.kept, 'share')}: {'  '.join(_means(figures))}", f"all: {_of_all(figures)}", flat]


def _means(figures: StepFigures) -> list[str]:
    return [
        f"reward {show(figures.reward, '.3f')}",
        f"accuracy {show(figures.accuracy, '.3f')}",
        f"length {show(figures.length, '.1f')}",
    ]


def _of_all(figures: StepFigures) -> str:
    parts = [] if figures.reward_all is None else [f"reward {show(figures.reward_all, '.3f')}"]
    if figures.length_all is None and figures.length_bound is not None:
        parts.append(f"length at least {show(figures.length_bound, '.1f')}")
    else:
        parts.append(f"length {show(figures.length_all, '.1f')}")
    return "  ".join(parts if figures.lost is None else [*parts, f"lost {show(figures.lost, 'share')}"])
