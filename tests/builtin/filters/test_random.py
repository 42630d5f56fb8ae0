"""The lots are fair enough to be a control, and the same whenever seed, step and place are."""

from collections import Counter
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from gpocli.builtin.filters.random import EXTENSION
from gpocli.contracts.filter import GroupFilter, select


def kept(step, *, seed=0, groups=2):
    group_filter = GroupFilter([EXTENSION.build(EXTENSION.options(seed=seed))])
    state = SimpleNamespace(global_step=step)
    return [select(scores, 2) for scores in group_filter.score([["x"] * 6] * groups, None, trainer_state=state)]


def test_same_seed_and_step_keep_the_same():
    assert kept(3) == kept(3)


def test_seed_step_and_group_each_change_what_is_kept():
    draws = [kept(step, groups=1)[0] for step in range(20)]
    assert len(set(map(tuple, draws))) > 5
    assert [kept(step, seed=1, groups=1)[0] for step in range(20)] != draws
    assert kept(0, groups=20)[0:1] * 20 != kept(0, groups=20)


def test_the_number_of_the_group_decides_not_its_place_in_the_batch():
    # Four groups in one process, or two in each of two.
    def scores(*numbers):
        group_filter = EXTENSION.build(EXTENSION.options())
        return group_filter([["x"] * 6] * len(numbers), None, group_numbers=[[number] * 6 for number in numbers])

    assert scores(0, 1, 2, 3) == scores(0, 1) + scores(2, 3)
    assert scores(2) != scores(0)


def test_every_place_is_kept_about_as_often():
    # 600 groups, 2 of 6 kept: 200 a place, standard deviation sqrt(600 * 1/3 * 2/3) = 11.5
    counts = Counter(place for group in kept(0, groups=600) for place in group)
    assert all(150 < counts[place] < 250 for place in range(6))


def test_needs_no_rewards_and_runs_without_a_trainer():
    group_filter = GroupFilter([EXTENSION.build(EXTENSION.options())])
    assert not group_filter.needs_rewards
    assert not group_filter.can_race
    assert group_filter.score([["a", "b"]], None) == group_filter.score([["c", "d"]], None)


def test_seed_must_be_a_whole_number():
    for seed in (-1, "1", 1.5, True):
        with pytest.raises(ValidationError):
            EXTENSION.options(seed=seed)
