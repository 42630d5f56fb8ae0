"""What came of a sweep, a row a run."""

from collections.abc import Sequence
from typing import Any

from gpocli.runs.step_figures import show
from gpocli.runs.summary import RunSummary, summarize
from gpocli.sweep.runner import Result

HEADERS = ("run", "outcome", "steps", "reward", "to", "length", "to")
NUMBERS = ("steps", "reward", "to", "length")


def rows(results: Sequence[Result]) -> list[list[str]]:
    """The runs with their reward and length (tokens) over the first and the last tenth of their steps."""
    return [_row(result, summarize(result.planned.run.metrics())) for result in results]


def records(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The same as JSON has it; figures that a run did not log are null."""
    return [_record(result, summarize(result.planned.run.metrics())) for result in results]


def _row(result: Result, summary: RunSummary) -> list[str]:
    figures = [show(summary.reward_first, ".3f"), show(summary.reward_last, ".3f")]
    figures += [show(summary.length_first, ".1f"), show(summary.length_last, ".1f")]
    return [result.planned.point.name, _outcome(result), str(summary.steps), *figures]


def _outcome(result: Result) -> str:
    return f"failed ({result.exit_code})" if result.outcome == "failed" else result.outcome


def _record(result: Result, summary: RunSummary) -> dict[str, Any]:
    return {
        "name": result.planned.point.name,
        "path": str(result.planned.run.path),
        "values": dict(result.planned.point.values),
        "outcome": result.outcome,
        "exit_code": result.exit_code,
        "reason": result.reason,
        "steps": summary.steps,
        "reward_first": summary.reward_first,
        "reward_last": summary.reward_last,
        "length_first": summary.length_first,
        "length_last": summary.length_last,
    }
