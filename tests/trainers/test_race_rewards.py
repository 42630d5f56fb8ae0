"""Rewards that are asked while others run are those of a whole batch, to the bit."""

import torch

from gpocli.trainers.race_rewards import weighted_sums

NAN = float("nan")


def test_weighted_sums_are_nan_only_where_no_reward_applies():
    sums = weighted_sums(torch.tensor([[1.0, NAN], [NAN, NAN], [1.0, 2.0]]), torch.tensor([0.5, 2.0]))
    assert sums[[0, 2]].tolist() == [0.5, 4.5]
    assert sums[1].isnan()
