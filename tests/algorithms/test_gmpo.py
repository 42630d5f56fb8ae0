"""GMPO's clip and loss on numbers worked out by hand."""

import math

import torch

from gpocli.algorithms.gmpo import clip_log_ratios
from tests.algorithms.reference import gmpo_loss

LOG_RATIOS = [-1.0, -0.1, 0.1, 1.0]


def test_a_positive_advantage_is_capped_from_above_only():
    clipped = clip_log_ratios(torch.tensor([LOG_RATIOS]), torch.tensor([1.0]), 0.2, 0.5)
    assert torch.equal(clipped.log_ratio_BT, torch.tensor([[-1.0, -0.1, 0.1, 0.5]]))
    assert clipped.is_high_BT.tolist() == [[False, False, False, True]]
    assert not clipped.is_low_BT.any()


def test_a_negative_advantage_is_floored_from_below_only():
    clipped = clip_log_ratios(torch.tensor([LOG_RATIOS]), torch.tensor([-1.0]), 0.2, 0.5)
    assert torch.equal(clipped.log_ratio_BT, torch.tensor([[-0.2, -0.1, 0.1, 1.0]]))
    assert clipped.is_low_BT.tolist() == [[True, False, False, False]]
    assert not clipped.is_high_BT.any()


def test_a_zero_advantage_stays_zero_whatever_the_ratio():
    log_ratio = torch.tensor([[100.0, 1000.0]], requires_grad=True)
    loss = gmpo_loss(log_ratio, torch.tensor([0.0]), torch.ones(1, 2))
    loss.backward()
    assert loss.item() == 0.0
    assert log_ratio.grad.tolist() == [[0.0, 0.0]]


def test_the_loss_is_the_geometric_mean_times_the_advantage():
    # Row 0: A = 2, clipped (0.1, 0.4), mean 0.25: -2 e^0.25. Row 1: A = -1, clipped (-0.4), mean -0.4: e^-0.4.
    log_ratio = torch.tensor([[0.1, 0.9], [-0.8, 5.0]])
    mask = torch.tensor([[1, 1], [1, 0]])
    loss = gmpo_loss(log_ratio, torch.tensor([2.0, -1.0]), mask)
    assert math.isclose(loss.item(), (-2 * math.exp(0.25) + math.exp(-0.4)) / 2, rel_tol=1e-5)


def test_the_gradient_is_the_weight_over_the_length_where_the_clip_is_off():
    # d/dr of -A e^(mean c) = -A e^(mean c) / |o| on unclipped tokens, 0 on clipped ones.
    log_ratio = torch.tensor([[0.1, 0.9]], requires_grad=True)
    gmpo_loss(log_ratio, torch.tensor([2.0]), torch.ones(1, 2)).backward()
    expected = torch.tensor([[-2 * math.exp(0.25) / 2, 0.0]])
    assert torch.allclose(log_ratio.grad, expected, rtol=1e-5)


def test_a_row_without_a_valid_token_is_left_out_of_the_mean():
    log_ratio = torch.randn(3, 4)
    mask = torch.tensor([[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])
    advantage = torch.tensor([1.0, 7.0, -2.0])
    live = torch.tensor([0, 2])
    assert torch.isclose(gmpo_loss(log_ratio, advantage, mask), gmpo_loss(log_ratio[live], advantage[live], mask[live]))


def test_a_batch_without_a_valid_token_has_loss_zero():
    assert gmpo_loss(torch.randn(2, 3), torch.ones(2), torch.zeros(2, 3)).item() == 0.0
