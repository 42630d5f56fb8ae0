"""Which groups are flat, by their rewards."""

import pytest
import torch

from gpocli.trainers.flat import flat_rows

ONE, NAN = torch.ones(1), float("nan")


@pytest.mark.parametrize(
    ("rewards", "flat"),
    [
        ([1.0, 1.0, 0.0, 1.0], [True, True, False, False]),
        ([0.7, 0.7 + 1e-9, 0.0, 0.0], [True] * 4),
        ([NAN, 1.0, NAN, NAN], [True] * 4),  # one known reward tells nobody apart
    ],
)
def test_a_group_is_flat_where_no_reward_tells_one_from_another(rewards, flat):
    assert flat_rows(torch.tensor(rewards).unsqueeze(1), ONE, keep=2).tolist() == flat


def test_surplus_rows_do_not_count():
    assert flat_rows(torch.tensor([[1.0], [1.0], [NAN]]), ONE, keep=3).tolist() == [True] * 3
    assert flat_rows(torch.tensor([[1.0], [0.0], [NAN]]), ONE, keep=3).tolist() == [False] * 3


def test_rewards_that_cancel_are_flat_unless_each_makes_advantages_of_its_own():
    scored = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    assert flat_rows(scored, torch.ones(2), keep=2).tolist() == [True, True]
    assert flat_rows(scored, torch.ones(2), keep=2, by_reward=True).tolist() == [False, False]
