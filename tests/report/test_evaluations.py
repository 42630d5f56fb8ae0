"""Evaluations as rows: those that are done, of all runs."""

from gpocli.evaluation.folder import EvaluationFolder
from gpocli.report.evaluations import evaluation_rows
from gpocli.runs.run import Run
from tests.runs.made_run import make_run

FIGURES = {
    "accuracy": {"value": 0.5, "low": 0.4, "high": 0.6},
    "mean_length": {"value": 40.0, "low": 35.5, "high": 44.0},
    "tokens_per_right": {"value": None, "low": None, "high": None},
}


def evaluate(run, name, **facts):
    """Leave an evaluation with a run."""
    base = {"of_run": True, "step": None, "data": {"source": "<t>.jsonl"}, "samples": 4, "graded": 20}
    folder = EvaluationFolder(run / "evaluations" / name, base | {"state": "done", "figures": FIGURES} | facts)
    folder.close()


def test_each_that_is_done_is_a_row(tmp_path):
    a, b = (make_run(tmp_path / name) for name in "ab")
    evaluate(a, "1", step=50, ended="2026-01-02")
    evaluate(a, "2", state="begun")
    evaluate(b, "1")
    figures = ["0.500 (0.400 to 0.600)", "40.0 (35.5 to 44.0)", "-", "-"]
    assert evaluation_rows([Run(a), Run(b)], ["a", "b"]) == [
        ["a", "step 50", "<t>.jsonl", "20", "4", *figures],
        ["b", "final", "<t>.jsonl", "20", "4", *figures],
    ]


def test_none_are_no_rows(tmp_path):
    assert evaluation_rows([Run(make_run(tmp_path / "a"))], ["a"]) == []
