"""An evaluation is one population: no batch weighs more than its rows, and none of them counts twice."""

import statistics

import pytest

from gpocli.trainers.evaluation import EvaluationRows
from gpocli.trainers.figures import Counted

NAN = float("nan")


def completion(length, reward, *, finished=True):
    return Counted(length, finished, False, True, reward, (reward,))


def noted(*batches, rows=float("inf"), group_size=1):
    metrics = {}
    evaluation = EvaluationRows(rows)
    for batch in batches:
        evaluation.note(batch)
    evaluation.write(metrics, group_size, ["right"])
    return metrics


def test_rows_that_fill_up_the_last_batch_do_not_count():
    metrics = noted(
        [completion(4, 1.0), completion(6, 2.0, finished=False)], [completion(5, 3.0), completion(99, 99.0)], rows=3
    )
    assert (metrics["reward"], metrics["rewards/right/mean"], metrics["completions/mean_length"]) == (
        [2.0],
        [2.0],
        [5.0],
    )
    assert metrics["completions/clipped_ratio"] == [pytest.approx(1 / 3)]
    assert metrics["completions/max_length"] == [6]


def test_figures_do_not_depend_on_how_rows_are_cut_into_batches():
    rows = [completion(n, float(n), finished=n != 3) for n in range(1, 6)]
    whole, cut = noted(rows), noted(rows[:3], rows[3:])
    assert whole == cut
    assert whole["reward_std"] == [pytest.approx(statistics.stdev([1, 2, 3, 4, 5]))]
    assert whole["completions/mean_terminated_length"] == [3.0]


def test_groups_are_those_of_the_whole_evaluation():
    rows = [completion(1, reward) for reward in (1.0, 1.0, 1.0, 2.0, NAN, 2.0)]
    assert noted(rows[:3], rows[3:], group_size=2)["frac_reward_zero_std"] == [pytest.approx(2 / 3)]


def test_without_a_batch_nothing_is_written():
    assert noted() == {}
