"""The evaluations of runs as rows to read: each with its figures and their intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

from gpocli.evaluation.folder import evaluations_in
from gpocli.runs.run import Run

HEADERS = ("run", "model", "prompts of", "prompts", "answers each")
FIGURES = {
    "accuracy": ("accuracy", ".3f"),
    "mean_length": ("mean length", ".1f"),
    "tokens_per_right": ("tokens a right answer", ".1f"),
    "cut": ("cut", ".3f"),
}
"""Those that are shown: the word for each, and how its numbers are written."""


def evaluation_rows(runs: Sequence[Run], names: Sequence[str]) -> list[list[str]]:
    """A row for each evaluation that is done: what was asked of whom, then each of `FIGURES` with its interval."""
    return [
        [name, *_asked(facts), *(_figure(facts, figure, style) for figure, (_, style) in FIGURES.items())]
        for run, name in zip(runs, names, strict=True)
        for _, facts in evaluations_in(run.evaluations_path)
        if facts.get("of_run")
    ]


def _asked(facts: Mapping[str, Any]) -> list[str]:
    step, data = facts.get("step"), facts.get("data") or {}
    model = "final" if step is None else f"step {step}"
    return [model, str(data.get("source")), str(facts.get("graded")), str(facts.get("samples"))]


def _figure(facts: Mapping[str, Any], name: str, style: str) -> str:
    found = (facts.get("figures") or {}).get(name) or {}
    value, low, high = (found.get(word) for word in ("value", "low", "high"))
    if value is None or low is None or high is None:
        return "-"
    return f"{value:{style}} ({low:{style}} to {high:{style}})"
