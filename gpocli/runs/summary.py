"""What came of a run, said at its end: whether anything could be learned, and how reward and length moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpocli.runs.step_figures import StepFigures, number, read_logs, show, show_seconds


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Figures over the steps of a run; None where nothing was logged.

    `first` and `last` of reward and length (tokens) are means over the first and the last tenth of the steps that tell
    it. With a filter both are of the kept completions, and `length_all` is of all candidates, as far as known; its last
    is None where only one step tells it.
    `flat_share` is the share of groups whose completions all got the same reward: their advantages are 0.
    """

    steps: int
    seconds: float | None
    reward_first: float | None
    reward_last: float | None
    length_first: float | None
    length_last: float | None
    flat_share: float | None
    grad_norm: float | None
    length_all_first: float | None = None
    length_all_last: float | None = None
    unscored: bool = False
    """Whether rewards were logged and none was a number."""
    all_cut: bool = False
    """Whether no completion came to its end before the limit of tokens, as far as the logs tell."""

    @property
    def could_learn(self) -> bool | None:
        """Whether any group could teach something and any gradient arrived; None when the logs do not tell."""
        if self.unscored:
            return False
        if self.flat_share is None and self.grad_norm is None:
            return None
        return self.flat_share != 1 and self.grad_norm != 0

    def lines(self) -> list[str]:
        """The summary as text, a line a topic."""
        took = "" if self.seconds is None else f" in {show_seconds(self.seconds)}"
        moved = f"reward {show(self.reward_first, '.3f')} to {show(self.reward_last, '.3f')}"
        steps = f"{self.steps} {'step' if self.steps == 1 else 'steps'}"
        return [
            f"{steps}{took}: {moved}, {self._lengths()} (first and last tenth)",
            self._signal(),
        ]

    def _lengths(self) -> str:
        moved = f"{show(self.length_first, '.1f')} to {show(self.length_last, '.1f')} tokens"
        if self.length_all_first is None:
            return f"length {moved}"
        until = "in one batch" if self.length_all_last is None else f"to {show(self.length_all_last, '.1f')}"
        return f"length of the kept {moved}, of all {show(self.length_all_first, '.1f')} {until}"

    def _signal(self) -> str:
        if self.unscored:
            return (
                "nothing could be learned: no reward applied to any completion; check that the rewards return numbers "
                "for this data"
            )
        if self.could_learn is False and self.all_cut:
            return (
                "nothing could be learned: every completion was cut at sampling.max_tokens, before it could end; raise "
                "it, or check that the model has an end token and writes it"
            )
        if self.flat_share == 1:
            return (
                "nothing could be learned: in every group all completions got the same reward, so every advantage "
                "was 0; use a reward that tells them apart, or prompts that are neither too easy nor too hard"
            )
        if self.grad_norm == 0:
            return "nothing was learned: the gradient was 0 in every step, although groups differed in reward"
        if self.could_learn is None:
            return "signal: not logged"
        flat = "-" if self.flat_share is None else f"{self.flat_share:.0%}"
        return f"signal: gradient norm {show(self.grad_norm)} on average; {flat} of the groups were flat (no advantage)"


def summarize(metrics: Sequence[Mapping[str, Any]]) -> RunSummary:
    """The summary of the lines of a metrics file (see `gpocli.runs.metrics`)."""
    train = [line for line in metrics if line.get("kind") == "train"]
    steps = [read_logs(line) for line in train]
    seconds = [line.get("train_runtime") for line in metrics if line.get("kind") == "end"]
    rewards = _known(steps, "reward")
    lengths = _known(steps, "length")
    of_all = _known([step for step in steps if step.is_filtered], "length_all")
    return RunSummary(
        steps=max((int(line["step"]) for line in train), default=0),
        seconds=number(seconds[-1]) if seconds else None,
        reward_first=_mean(rewards[: _tenth(rewards)]),
        reward_last=_mean(rewards[-_tenth(rewards) :]),
        length_first=_mean(lengths[: _tenth(lengths)]),
        length_last=_mean(lengths[-_tenth(lengths) :]),
        length_all_first=_mean(of_all[: _tenth(of_all)]),
        length_all_last=_mean(of_all[-_tenth(of_all) :]) if len(of_all) > 1 else None,
        flat_share=_mean(_known(steps, "flat")),
        grad_norm=_mean(_known(steps, "grad_norm")),
        all_cut=_mean(_known(steps, "cut")) == 1,
        unscored=not rewards and any("reward" in line for line in train),
    )


def _known(steps: Sequence[StepFigures], field: str) -> list[float]:
    return [value for step in steps if (value := getattr(step, field)) is not None]


def _tenth(values: Sequence[float]) -> int:
    return max(1, len(values) // 10)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
