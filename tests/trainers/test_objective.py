"""What the parent's loss is given where rows only fill up a group; without any it is the parent's own."""

from types import SimpleNamespace

import pytest
import torch

from gpocli.trainers.objective import OVER_ROWS, Objective, changed
from tests.trainers.step_reference import OVER_ROWS as OF_REFERENCE


def trainer(loss_type="grpo"):
    accelerator = SimpleNamespace(num_processes=1, device=torch.device("cpu"), reduce=lambda tensor, reduction: tensor)
    return SimpleNamespace(
        loss_type=loss_type,
        beta=0.1,
        accelerator=accelerator,
        args=SimpleNamespace(gradient_accumulation_steps=2),
        current_gradient_accumulation_steps=2,
        _step=0,
    )


def micro_batch(*surplus):
    return {
        "advantages": torch.tensor([1.0, -1.0]),
        "surplus": torch.tensor(surplus),
        "num_items_in_batch": torch.tensor(6),
    }


def given_to_parent(loss_type, *surplus_of_each):
    """What the parent sees of each micro-batch: its first advantage, beta, accumulation and number of items."""
    host, objective, seen = trainer(loss_type), Objective(), []

    def parent(given):
        seen.append(
            (
                given["advantages"][0].item(),
                host.beta,
                host.current_gradient_accumulation_steps,
                given["num_items_in_batch"].item(),
            )
        )
        return torch.tensor(5.0)

    batches = objective.arranged(host, [micro_batch(*surplus) for surplus in surplus_of_each])
    losses = [objective.loss(host, parent, batch).item() for batch in batches]
    assert (host.beta, host.current_gradient_accumulation_steps) == (0.1, 2)
    return seen, losses


def test_without_surplus_rows_nothing_differs():
    objective, inputs = Objective(), {"advantages": [1.0]}
    assert objective.arranged(None, [inputs]) == [inputs]
    assert objective.seen((1, 2, 3)) == (1, 2, 3)
    assert objective.loss(None, lambda given: given, inputs) is inputs


def test_a_mean_over_rows_goes_over_the_three_live_ones_of_four():
    seen, losses = given_to_parent("grpo", (False, False), (True, False))
    assert seen == [(pytest.approx(4 / 3), pytest.approx(0.4 / 3), 2, 6)] * 2
    assert losses == [5.0, 5.0]


def test_a_micro_batch_without_a_live_row_is_not_there():
    # One micro-batch of two remains: TRL divides by 1 instead of 2, and by as many tokens as before.
    seen, losses = given_to_parent("bnpo", (False, False), (True, True))
    assert seen == [(1.0, 0.1, 1, 12)] * 2
    assert losses == [5.0, 0.0]
    seen, _ = given_to_parent("sapo", (False, False), (True, True))
    assert seen == [(1.0, 0.1, 1, 12)] * 2


def test_a_step_without_any_live_row_has_loss_zero():
    _, losses = given_to_parent("dr_grpo", (True, True), (True, True))
    assert losses == [0.0, 0.0]


def test_the_losses_that_go_over_rows_are_those_of_the_reference():
    assert set(OF_REFERENCE) == OVER_ROWS


def test_a_change_ends_with_an_error():
    host = trainer()
    with pytest.raises(ZeroDivisionError), changed(host, beta=2.0):
        host.beta /= 0
    assert host.beta == 0.1
