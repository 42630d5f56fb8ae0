"""Rewards that are asked while others run are those of a whole batch, to the bit, and the same are kept."""

import math
from itertools import pairwise

import pytest
import torch
from accelerate import Accelerator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.filter_call import Candidate
from gpocli.contracts.race import NotNow
from gpocli.contracts.reward import checked_rewards
from gpocli.plugin_manager import load_plugins
from gpocli.rollout import Rollout
from gpocli.rollout.race import Board
from gpocli.trainers.clock import StepClock
from gpocli.trainers.group_round import GroupRound, GroupRules
from gpocli.trainers.processes import Processes
from gpocli.trainers.race_rewards import RaceRewards, weighted_sums

NAN = float("nan")
END, LIMIT, SIZE = 1, 12, 6
HOST = load_plugins(entry_points=False)
CHAINS = [["token_efficiency"], ["correct", "length"], ["correct"], ["correct", "token_efficiency"]]
VALUES = [1.0, 0.1, 0.0, -0.5, None, 1 / 3]
LATER = 7
"""The token whose reward is not known before the race is over."""


class Coded:
    """The value that the first token stands for; asked about the same completion once."""

    def __init__(self):
        self.asked = []

    def __call__(self, completion_ids, in_race=False):
        if in_race and completion_ids[0][0] == LATER:
            raise NotNow
        self.asked += completion_ids
        return [1.0 if ids[0] == LATER else VALUES[(ids[0] - 10) % len(VALUES)] for ids in completion_ids]

    def reward_bound(self, length):
        return 1.0


def chosen(candidates, chain, keep, races):
    """What is kept of groups whose candidates have a token to write and a length (above the limit: it is cut)."""
    penalty = HOST.build_reward("length_penalty", {"max_tokens": 9, "max_penalty": 0.7}).function
    coded = Coded()
    rules = GroupRules(
        group_size=SIZE,
        keep=keep,
        group_filter=GroupFilter([HOST.build_filter(name) for name in chain]),
        reward_names=["coded", "penalty"],
        reward_weights=torch.tensor([0.3, 0.1]),
        divisor="kept",
        counts_truncated=True,
        text_of=str,
        reward_functions=checked_rewards([coded, penalty]),
        races=races,
    )
    rows = [{"prompt": "p"}] * (len(candidates) // SIZE * keep)
    made = GroupRound(rules, rows, processes=Processes(Accelerator(cpu=True)), clock=StepClock(), trainer_state=None)
    made.draw(["p"] * len(rows))
    board = Board(len(candidates) // SIZE, SIZE, limit=LIMIT, end_token_ids=[END], race=made.race())
    for step in range(1, LIMIT + 1):
        # The first token tells a candidate from all others, so that none is asked about twice unseen.
        row_tokens = [END if length == step and step > 1 else token for token, length in candidates]
        board.advance(range(len(candidates)), row_tokens)
    rollout = Rollout.of(board, decode_steps=0, decoded_tokens=0)

    def whole(rows, prompts, completions, ids):
        told = [function(completions=completions, completion_ids=ids) for function in rules.reward_functions]
        return torch.tensor([[NAN if v is None else v for v in values] for values in told]).T

    kept = made.choose(rollout, [str(ids) for ids in rollout.completion_ids], whole)
    selected = made._selected
    scores = [selected.selection.scores[i] for i in kept]
    return kept, scores, [shown(selected.rewards[i]) for i in kept], made, rollout, coded


def shown(rewards):
    return repr(rewards)  # NaN equals itself there


@st.composite
def groups(draw):
    count = draw(st.integers(1, 3))
    token = st.integers(10, 15) | st.just(LATER)
    return draw(st.lists(st.tuples(token, st.integers(2, LIMIT + 3)), min_size=count * SIZE, max_size=count * SIZE))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(groups(), st.sampled_from(CHAINS), st.integers(2, SIZE - 1))
def test_the_same_are_kept_with_the_same_rewards_and_scores(candidates, chain, keep):
    raced = chosen(candidates, chain, keep, True)
    full = chosen(candidates, chain, keep, False)
    assert raced[:3] == full[:3]
    *_, rollout, coded = raced
    assert len(coded.asked) == len(candidates) - sum(rollout.lost)
    assert not any(full[4].lost)


def test_once_k_right_ones_have_ended_longer_ones_are_lost():
    # Tokens of value 1.0 and 0.0: the first two are right and end early; the others could at best be as right.
    candidates = [(10, 2), (10, 3), (12, 2), (10, 9), (12, 9), (10, 4)]
    kept, scores, _, made, rollout, _ = chosen(candidates, ["correct", "length"], 2, True)
    assert (kept, scores) == ([0, 1], [(1.0, -2.0), (1.0, -3.0)])
    assert rollout.lost == [False, False, False, True, True, True]
    assert [len(ids) for ids in rollout.completion_ids] == [2, 3, 2, 3, 3, 3]
    assert [one.reward == one.reward for one in made.counted()] == [True, True, True, False, False, False]


def test_nobody_loses_to_one_that_is_known_later():
    candidates = [(LATER, 2), (LATER, 2), (12, 9), (12, 9), (12, 9), (12, 9)]
    kept, scores, _, _, rollout, coded = chosen(candidates, ["correct", "length"], 2, True)
    assert (kept, scores) == ([0, 1], [(1.0, -2.0), (1.0, -2.0)])
    assert not any(rollout.lost)
    assert len(coded.asked) == SIZE


def test_a_fault_in_a_race_is_told_as_in_a_batch():
    class Broken(Coded):
        def __call__(self, completions):
            raise RuntimeError("no")

    rewards = RaceRewards(checked_rewards([Broken()]), ["broken"], torch.ones(1))
    with pytest.raises(Exception, match=r'^reward "Broken" failed on a batch of 1: RuntimeError: no'):
        rewards.ask([Candidate({}, "p", "c", [END], True)], None)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("length_penalty", {"target_tokens": 3, "max_tokens": 9}),
        ("overlong", {"max_tokens": 9, "buffer": 4}),
        ("overlong", {"enabled": False}),
    ],
)
def test_no_longer_completion_is_paid_more_than_the_bound(name, options):
    reward = HOST.build_reward(name, options).function
    for ended in (True, False):
        paid = [reward(completion_ids=[[5] * length], finished=[ended])[0] for length in range(1, 14)]
        assert all(value <= reward.reward_bound(length) for length, value in enumerate(paid))
    bounds = [reward.reward_bound(length) for length in range(13)]
    assert all(later <= before for before, later in pairwise(bounds))


def test_the_most_is_the_weighted_sum_of_bounds_where_one_may_not_apply():
    penalty = HOST.build_reward("length_penalty", {"max_tokens": 10}).function
    rewards = RaceRewards(checked_rewards([Coded(), penalty]), ["coded", "penalty"], torch.tensor([0.3, 2.0]))
    total, by_name = rewards.most(4)
    assert total == torch.tensor(0.3).item()
    assert by_name == {"coded": 1.0, "penalty": -0.5}


@given(st.lists(st.lists(st.floats(-9, 9, width=32) | st.just(NAN), min_size=3, max_size=3), min_size=1, max_size=9))
def test_a_sum_does_not_depend_on_the_rows_beside_it(rows):
    scored, weights = torch.tensor(rows), torch.tensor([0.1, 0.7, 1.3])
    alone = torch.cat([weighted_sums(scored[i : i + 1], weights) for i in range(len(rows))])
    assert shown(weighted_sums(scored, weights).tolist()) == shown(alone.tolist())


def test_weighted_sums_are_nan_only_where_no_reward_applies():
    sums = weighted_sums(torch.tensor([[1.0, NAN], [NAN, NAN], [1.0, 2.0]]), torch.tensor([0.5, 2.0]))
    assert sums[[0, 2]].tolist() == [0.5, 4.5]
    assert math.isnan(sums[1])


def test_accuracy_takes_part_but_for_what_needs_a_worker_process():
    accuracy = HOST.build_reward("accuracy").function
    assert accuracy(completions=[r"\boxed{12}"], answer=["12"], in_race=True) == [1.0]
    assert accuracy(completions=[r"\boxed{13}"], answer=["12"], in_race=True) == [0.0]
    with pytest.raises(NotNow):
        accuracy(completions=[r"\boxed{\sqrt{12345}+1}"], answer=[r"1+\sqrt{12345}"], in_race=True)
    assert accuracy(completions=["so 5"], answer=["nobody knows that"], in_race=True) == [None]
