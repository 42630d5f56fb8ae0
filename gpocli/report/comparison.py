"""Runs beside each other: their figures at the end, and differences on the same prompts with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpocli.runs.run import Run
from gpocli.runs.step_figures import StepFigures, read_logs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 0
FIELDS = ("reward", "accuracy", "length", "length_all", "flat", "cut", "kept", "lost", "step_time")
"""Of `Ending`, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run was at its end: means over the last tenth of its steps, None where nothing is logged.

    `reward`, `accuracy` and `length` (tokens) are of the kept completions, `length_all` of all in batches without a
    race; the others are shares, and `step_time` is in seconds.
    """

    reward: float | None = None
    accuracy: float | None = None
    length: float | None = None
    length_all: float | None = None
    flat: float | None = None
    cut: float | None = None
    kept: float | None = None
    lost: float | None = None
    step_time: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of a figure on the same prompts, with its 95 % bootstrap interval over prompts."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Paired:
    """What differs from the first run on the `prompts` that both were asked in the last quarter of the shared steps.

    Of a prompt the kept completions count; None where no two prompts are shared.
    """

    prompts: int
    reward: Difference | None
    length: Difference | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs beside each other; `paired` has one entry for each but the first, which is what they are compared with."""

    steps: list[int]
    endings: list[Ending]
    paired: list[Paired]


def compare(runs: Sequence[Run]) -> Comparison:
    """Put runs beside each other. Raises SpecError for damaged records."""
    lines = [[line for line in run.metrics() if line.get("kind") == "train"] for run in runs]
    return Comparison(
        steps=[max((line["step"] for line in of_run), default=0) for of_run in lines],
        endings=[ending(of_run) for of_run in lines],
        paired=[paired(runs[0], other) for other in runs[1:]],
    )


def ending(lines: Sequence[Mapping[str, object]]) -> Ending:
    """The figures of the last tenth of the steps, or of the last ones that tell them."""
    steps = [read_logs(line) for line in lines]
    figures = {name: _last_tenth(steps, name) for name in FIELDS[:-1]}
    times = [float(value) for line in lines if isinstance(value := line.get("step_time"), int | float)]
    return Ending(**figures, step_time=_mean(times[-_tenth(times) :]))


def paired(first: Run, other: Run) -> Paired:
    """The differences of `other` less `first` on the same prompts."""
    until = min(max(run.candidates.steps, default=0) for run in (first, other))
    since = until - max(1, until // 4) + 1
    ours, theirs = (_by_prompt(run, since, until) for run in (other, first))
    shared = [name for name in ours if name in theirs]
    rewards = [(ours[name].reward, theirs[name].reward) for name in shared]
    lengths = [(ours[name].length, theirs[name].length) for name in shared]
    return Paired(len(shared), _difference(rewards), _difference(lengths))


@dataclass
class _OfPrompt:
    rewards: list[float]
    lengths: list[int]

    @property
    def reward(self) -> float | None:
        return _mean(self.rewards)

    @property
    def length(self) -> float | None:
        return _mean(self.lengths)


def _by_prompt(run: Run, since: int, until: int) -> dict[str, _OfPrompt]:
    """The kept completions of each prompt in these steps."""
    found: dict[str, _OfPrompt] = {}
    for batch in run.candidates.batches(lambda step: since <= step <= until):
        for group in batch:
            kept = [one for one in group.candidates if one.kept]
            of = found.setdefault(group.prompt_id, _OfPrompt([], []))
            of.rewards += [one.reward for one in kept if one.reward is not None]
            of.lengths += [one.length for one in kept]
    return found


def _difference(pairs: Sequence[tuple[float | None, float | None]]) -> Difference | None:
    import numpy as np

    from gpocli.evaluation.figures import bootstrap

    known = np.array([ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None])
    if len(known) < 2:
        return None

    def mean(rows: "NDArray[np.intp]") -> dict[str, float]:
        return {"mean": float(known[rows].mean())}

    found = bootstrap(mean, len(known), seed=SEED, times=1000, level=0.95)["mean"]
    return Difference(found.value, found.low, found.high)


def _last_tenth(steps: Sequence[StepFigures], name: str) -> float | None:
    known = [value for step in steps if (value := getattr(step, name)) is not None]
    return _mean(known[-_tenth(known) :])


def _tenth(values: Sequence[float]) -> int:
    return max(1, len(values) // 10)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
