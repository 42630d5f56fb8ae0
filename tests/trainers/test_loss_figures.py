"""Values of micro-batches become one of the step, worked out by hand and against any split of the same rows."""

import itertools
import math
from types import SimpleNamespace

import pytest
import torch

from gpocli.trainers.loss_figures import LossFigures, Part, combinations, settled

TOKENS = combinations("dapo", has_row_ratios=False, is_training=True)
ROWS = combinations("grpo", has_row_ratios=True, is_training=True)
# Four rows of an optimizer step: tokens in the loss, clipped tokens of them, summed entropy.
STEP = [(2, 1, 1.0), (0, 0, 0.0), (4, 0, 8.0), (2, 2, 3.0)]


def of_tokens(rows):
    """What the parent writes of a micro-batch of these rows at token level."""
    tokens = sum(row[0] for row in rows)
    shares = [row[1] / row[0] for row in rows if row[0]]
    return {
        "entropy": sum(row[2] for row in rows) / max(tokens, 1),
        "clip_ratio/low_mean": sum(row[1] for row in rows) / max(tokens, 1),
        "clip_ratio/low_min": min(shares, default=math.nan),
        "clip_ratio/high_max": max(shares, default=math.nan),
    }


def part(rows):
    trained = sum(row[0] > 0 for row in rows)
    return Part(sum(row[0] for row in rows), trained, len(rows), 1.0)


@pytest.mark.parametrize("order", itertools.permutations(range(4)))
@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_step_has_the_same_figures_however_its_rows_share_micro_batches(order, size):
    batches = [[STEP[i] for i in order[start : start + size]] for start in range(0, 4, size)]
    written = [of_tokens(batch) for batch in batches]
    values = {name: [one[name] for one in written] for name in written[0]}
    assert settled(values, [part(batch) for batch in batches], TOKENS, has_row_ratios=False) == {
        "entropy": pytest.approx(12 / 8),
        "clip_ratio/low_mean": pytest.approx(3 / 8),
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_max": 1.0,
    }


def test_at_sequence_level_rows_without_a_token_in_the_loss_do_not_count():
    # Two micro-batches of two rows, one of which only fills up its group: of the three in the loss two are clipped.
    parts = [Part(5, 2, 2, 1.0), Part(3, 1, 2, 1.0)]
    values = {"clip_ratio/low_mean": [0.5, 0.5], "clip_ratio/low_min": [0.0, 0.0], "clip_ratio/high_max": [0.0, 1.0]}
    assert settled(values, parts, ROWS, has_row_ratios=True) == {
        "clip_ratio/low_mean": pytest.approx(2 / 3),
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_max": 1.0,
    }
    every = settled({**values, "clip_ratio/low_mean": [1.0, 0.5]}, parts, ROWS, has_row_ratios=True)
    assert (every["clip_ratio/low_mean"], every["clip_ratio/low_min"]) == (1.0, 1.0)


def test_the_policy_loss_is_that_of_the_step():
    # A sum over tokens that one number divides adds up; a mean over rows is one over the micro-batches that are there.
    parts = [Part(4, 2, 2, 1.0), Part(0, 0, 2, 0.0)]
    values = {"policy_loss": [0.5, 0.0]}
    assert settled(values, parts, TOKENS, has_row_ratios=False) == {"policy_loss": 0.5}
    assert settled(values, parts, ROWS, has_row_ratios=True) == {"policy_loss": 0.5}
    both = [Part(4, 2, 2, 1.0)] * 2
    assert settled({"policy_loss": [0.5, 0.1]}, both, TOKENS, has_row_ratios=False) == {"policy_loss": 0.6}
    assert settled({"policy_loss": [0.5, 0.1]}, both, ROWS, has_row_ratios=True) == {"policy_loss": 0.3}
    evaluation = combinations("dapo", has_row_ratios=False, is_training=False)
    assert settled({"policy_loss": [0.5, 0.1]}, both, evaluation, has_row_ratios=False) == {"policy_loss": 0.3}


def test_a_step_without_a_token_in_the_loss_has_no_figure_of_any():
    one = settled(
        {"entropy": [0.0], "clip_ratio/low_min": [math.inf]}, [Part(0, 0, 2, 0.0)], TOKENS, has_row_ratios=False
    )
    assert all(math.isnan(value) for value in one.values())


def test_one_value_takes_the_place_of_those_since_the_last_call():
    host = SimpleNamespace(
        loss_type="dapo",
        model=SimpleNamespace(training=True),
        objective=SimpleNamespace(has_row_ratios=lambda trainer: False),
        _processes=SimpleNamespace(count=1, totals=lambda *numbers: list(numbers)),
    )
    metrics = {"entropy": [9.0, 1.0, 4.0], "reward": [1.0]}
    figures = LossFigures(host)
    figures.note({"completion_mask": torch.tensor([[1, 1], [1, 1]])})
    figures.note({"completion_mask": torch.tensor([[1, 1], [0, 0]]), "tool_mask": torch.tensor([[1, 0], [1, 1]])})
    figures.settle(metrics)
    assert metrics == {"entropy": [9.0, pytest.approx((4 * 1.0 + 4.0) / 5)], "reward": [1.0]}
    figures.settle(metrics)
    assert len(metrics["entropy"]) == 2
