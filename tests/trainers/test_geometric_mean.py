"""The objective of GMPO apart from a trainer: what the parent is given in the place of the old policy."""

from types import SimpleNamespace

import pytest
import torch

from gpocli.trainers.geometric_mean import GeometricMean


def trainer(**changes):
    accelerator = SimpleNamespace(
        num_processes=1,
        device=torch.device("cpu"),
        reduce=lambda tensor, reduction: tensor,
        gather=lambda tensor: tensor,
    )
    names = ("low_mean", "high_mean", "region_mean", "low_min", "high_max")
    made = SimpleNamespace(
        epsilon_low=0.4,
        epsilon_high=0.4,
        beta=0.1,
        loss_type="grpo",
        model=SimpleNamespace(training=True),
        accelerator=accelerator,
        args=SimpleNamespace(gradient_accumulation_steps=2),
        current_gradient_accumulation_steps=1,
        _step=0,
        _metrics={"train": {f"clip_ratio/{name}": [0.0] for name in names}},
    )
    return SimpleNamespace(**(vars(made) | changes))


def micro_batch(**changes):
    return {
        "completion_ids": torch.zeros(2, 2, dtype=torch.long),
        "completion_mask": torch.ones(2, 2),
        "advantages": torch.tensor([1.0, -1.0]),
        "old_per_token_logps": torch.zeros(2, 2),
        "num_items_in_batch": torch.tensor(4),
    } | changes


def test_the_parent_gets_log_probabilities_less_the_clipped_ratios():
    # A > 0: ratios 0.9 and -0.9 become 0.4 and -0.9; A < 0: 0.9 and -0.4. So the parent's own log-ratio is just that.
    objective, seen = GeometricMean(), {}
    logps = torch.tensor([[0.9, -0.9], [0.9, -0.9]])

    def parent(given):
        objective.seen((logps, None, None))
        seen["ratio"] = (logps - given["old_per_token_logps"]).tolist()
        return torch.tensor(0.0)

    host = trainer()
    objective.loss(host, parent, micro_batch())
    assert seen["ratio"] == [pytest.approx([0.4, -0.9]), pytest.approx([0.9, -0.4])]
    assert host._metrics["train"]["clip_ratio/high_mean"] == [0.25]
    assert host._metrics["train"]["clip_ratio/low_mean"] == [0.25]


def test_the_parents_clip_is_off_only_while_it_computes():
    host, seen, objective = trainer(), [], GeometricMean()

    def parent(given):
        seen.append((host.epsilon_low, host.epsilon_high))
        objective.seen((torch.zeros(2, 2), None, None))
        return torch.tensor(0.0)

    objective.loss(host, parent, micro_batch())
    assert seen == [(float("inf"), float("inf"))]
    assert (host.epsilon_low, host.epsilon_high, host.beta) == (0.4, 0.4, 0.1)


def test_rows_without_a_token_do_not_thin_the_mean():
    # Of the step's four rows three have a token: the parent's mean over four is scaled by 4/3.
    empty = torch.tensor([[1.0, 1.0], [0.0, 0.0]])
    objective, host = GeometricMean(), trainer(current_gradient_accumulation_steps=2)
    first, second = objective.arranged(host, [micro_batch(), micro_batch(completion_mask=empty)])
    given = {}

    def parent(inputs):
        objective.seen((torch.zeros(2, 2), None, None))
        given.update(inputs)
        return torch.tensor(0.0)

    objective.loss(host, parent, first)
    assert given["advantages"].tolist() == pytest.approx([4 / 3, -4 / 3])
    assert second["row_weight"] == pytest.approx(4 / 3)


def test_a_pass_outside_a_loss_is_left_alone():
    passed = (torch.zeros(1, 1), None, None)
    assert GeometricMean().seen(passed) is passed


def test_a_parent_that_lets_it_see_no_log_probabilities_is_an_error():
    with pytest.raises(RuntimeError, match="which GMPO's has to see"):
        GeometricMean().loss(trainer(), lambda given: torch.tensor(0.0), micro_batch())
