"""The curves of a report: figures of runs over their steps, thinned so that a page stays small."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpocli.runs.step_figures import number

POINTS = 120
"""Points of a curve at most; of more steps neighbours are averaged."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One figure of one run: `run` counts from 0, `kind` is which of the figures of the chart, from 0."""

    run: int
    kind: int
    points: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """Figures over steps. `kinds` are their names, of which only those with points are named on the page."""

    title: str
    unit: str
    kinds: list[str]
    curves: list[Curve]


_CHARTS: list[tuple[str, str, dict[str, tuple[str, ...]]]] = [
    ("Reward", "reward", {"kept": ("reward",), "all": ("candidates/reward",)}),
    (
        "Length",
        "tokens",
        {"kept": ("kept/mean_length", "completions/mean_length"), "all": ("completions/mean_length",)},
    ),
    (
        "Length of right and of wrong answers",
        "tokens",
        {"right": ("kept/right_length",), "wrong": ("kept/wrong_length",)},
    ),
    (
        "Does the step teach to write more (above 0) or less",
        "correlation",
        {"advantage and length": ("kept/advantage_length_correlation",)},
    ),
    ("Kept and lost", "share", {"kept": ("kept/share",), "lost": ("lost/share",)}),
    ("Flat groups, which teach nothing", "share", {"flat": ("frac_reward_zero_std",)}),
    ("Cut at the limit", "share", {"cut": ("completions/clipped_ratio",)}),
    ("Entropy", "nats a token", {"entropy": ("entropy",)}),
    ("KL from the reference", "nats a token", {"kl": ("kl",)}),
    ("Clipped", "share", {"clipped": ("clip_ratio/region_mean", "cispo_clip_ratio")}),
    ("Gradient norm", "", {"norm": ("grad_norm",)}),
    (
        "Seconds a step",
        "seconds",
        {
            "all": ("step_time",),
            "sampling": ("time/generate",),
            "rewards": ("time/reward",),
            "update": ("time/update",),
        },
    ),
    ("Evaluation: reward", "reward", {"reward": ("eval_reward",)}),
    ("Evaluation: length", "tokens", {"length": ("eval_completions/mean_length",)}),
]


def charts(runs: Sequence[Sequence[Mapping[str, Any]]]) -> list[Chart]:
    """The charts of runs, of which each is the lines of its metrics; those that nothing is logged for are left out."""
    wanted = [*_CHARTS[:1], *_of_each_reward(runs), *_CHARTS[1:]]
    made = (Chart(title, unit, list(kinds), list(_curves(runs, kinds))) for title, unit, kinds in wanted)
    return [chart for chart in made if chart.curves]


def thinned(points: Sequence[tuple[float, float]], most: int = POINTS) -> list[tuple[float, float]]:
    """The means of at most `most` stretches of equally many points."""
    size = -(-len(points) // most) or 1
    parts = [points[start : start + size] for start in range(0, len(points), size)]
    return [(_mean([x for x, _ in part]), _mean([y for _, y in part])) for part in parts]


def _of_each_reward(
    runs: Sequence[Sequence[Mapping[str, Any]]],
) -> list[tuple[str, str, dict[str, tuple[str, ...]]]]:
    """A chart for each reward, where there are several."""
    names = dict.fromkeys(key for lines in runs for line in lines for key in line if _is_of_a_reward(key))
    if len(names) < 2:
        return []
    return [(f"Reward {key[8:-5]}", "reward", {"kept": (key,)}) for key in names]


def _is_of_a_reward(key: str) -> bool:
    return key.startswith("rewards/") and key.endswith("/mean")


def _curves(runs: Sequence[Sequence[Mapping[str, Any]]], kinds: Mapping[str, tuple[str, ...]]) -> Iterator[Curve]:
    for run, lines in enumerate(runs):
        seen: set[tuple[str, ...]] = set()
        for kind, keys in enumerate(kinds.values()):
            logged = tuple(key for key in keys if any(key in line for line in lines))[:1]
            points = _points(lines, logged)
            # Without a filter the kept are all, and one curve says so.
            if points and logged not in seen:
                yield Curve(run, kind, thinned(points))
            seen.add(logged)


def _points(lines: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[tuple[float, float]]:
    found = ((line["step"], number(line.get(key))) for line in lines for key in keys)
    return [(float(step), value) for step, value in found if value is not None]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
