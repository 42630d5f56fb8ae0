"""Which groups are flat, by their rewards."""

import pytest
import torch

from gpocli.trainers.figures import Counted
from gpocli.trainers.flat import flat_rows, group_figures

ONE, NAN = torch.ones(1), float("nan")


def candidate(reward, *, accuracy=NAN, advantage=NAN, kept=True, length=10):
    return Counted(length, True, False, kept, reward, (accuracy,), advantage=advantage)


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


def test_figures_tell_what_groups_cost_and_which_were_flat():
    candidates = [
        *(candidate(1.0, advantage=1.0), candidate(0.0, advantage=-1.0)),
        *(candidate(1.0), candidate(1.0)),
        *(candidate(0.0), candidate(0.0)),
        *(candidate(NAN), candidate(NAN)),  # no reward applies: neither right nor wrong
    ]
    assert group_figures(candidates, 2, ["mine"]) == {
        "groups/sampled": 4,
        "groups/all_right": 0.25,
        "groups/all_wrong": 0.25,
        "groups/tokens_per_trained": 80.0,
    }


def test_the_reward_that_tells_what_is_right_decides():
    candidates = [candidate(0.3, accuracy=0.0), candidate(0.3, accuracy=0.0)]
    figures = group_figures(candidates, 2, ["accuracy"])
    assert (figures["groups/all_right"], figures["groups/all_wrong"]) == (0.0, 1.0)
    assert figures["groups/tokens_per_trained"] != figures["groups/tokens_per_trained"]  # of no group


def test_a_group_that_is_not_trained_on_costs_tokens():
    candidates = [candidate(1.0), candidate(0.0), candidate(1.0, advantage=1.0), candidate(0.0, advantage=-1.0)]
    assert group_figures(candidates, 2, ["mine"])["groups/tokens_per_trained"] == 40.0
