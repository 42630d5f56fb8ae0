"""Evaluation means over rows, worked out by hand."""

import pytest
import torch

from gpocli.trainers.evaluation import EvaluationMeans

NAN = float("nan")


def test_rows_that_fill_up_the_last_batch_do_not_count():
    means, metrics = EvaluationMeans(rows=3), {}
    means.note(torch.tensor([[1.0], [2.0]]), torch.tensor([4, 6]))
    means.note(torch.tensor([[3.0], [99.0]]), torch.tensor([5, 99]))
    means.write(metrics, ["right"], torch.tensor([1.0]))
    assert metrics == {"reward": [2.0], "rewards/right/mean": [2.0], "completions/mean_length": [5.0]}


def test_the_total_is_the_weighted_sum_over_rows_with_a_reward():
    # 1 * 0.7 and 2 * 0.7 + 4 * 0.3; the third row has no reward at all.
    means, metrics = EvaluationMeans(), {}
    means.note(torch.tensor([[1.0, NAN], [2.0, 4.0], [NAN, NAN]]), torch.tensor([1, 1, 1]))
    means.write(metrics, ["a", "b"], torch.tensor([0.7, 0.3]))
    assert metrics["reward"] == [pytest.approx((0.7 + 2.6) / 2)]
    assert metrics["rewards/b/mean"] == [4.0]


def test_without_a_batch_nothing_is_written():
    metrics = {"reward": [1.0]}
    EvaluationMeans(5).write(metrics, ["a"], torch.tensor([1.0]))
    assert metrics == {"reward": [1.0]}
