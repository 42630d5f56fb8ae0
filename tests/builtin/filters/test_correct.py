"""Right answers come first; which reward says so, and from where on, can be chosen."""

import math

import pytest
from pydantic import ValidationError

from gpocli.builtin.filters.correct import EXTENSION
from gpocli.builtin.filters.length import Length
from gpocli.contracts.filter import GroupFilter, NamedFilter, select
from gpocli.errors import SpecError


def correct(**options):
    return NamedFilter("correct", EXTENSION.build(EXTENSION.options(**options)))


def test_right_is_what_has_a_reward_above_the_threshold():
    group = [["a", "b", "c", "d"]]
    rewards = [[1.0, 0.0, -0.5, math.nan]]
    assert GroupFilter([correct()]).score(group, rewards) == [[(1.0,), (0.0,), (0.0,), (0.0,)]]
    assert GroupFilter([correct(threshold=-0.5)]).score(group, rewards) == [[(1.0,), (1.0,), (0.0,), (0.0,)]]


def test_one_reward_can_be_picked_by_name():
    scores = GroupFilter([correct(reward="accuracy")]).score(
        [["a", "b", "c"]], [[5.0, 5.0, 5.0]], rewards_per_func={"accuracy": [[0.0, 1.0, None]], "style": [[5.0] * 3]}
    )
    assert scores == [[(0.0,), (1.0,), (0.0,)]]


def test_unknown_reward_is_told_with_the_nearest():
    with pytest.raises(SpecError) as caught:
        GroupFilter([correct(reward="acuracy")]).score(
            [["a"]], [[1.0]], rewards_per_func={"accuracy": [[1.0]], "style": [[0.0]]}
        )
    assert str(caught.value) == (
        "filter 'correct' looks at reward 'acuracy', which this run does not have; did you mean 'accuracy'?"
    )


def test_shortest_right_answers_are_kept_and_then_the_shortest_wrong_ones():
    chain = GroupFilter([correct(), NamedFilter("length", Length())])
    assert chain.name == "correct > length"
    scores = chain.score([["x"] * 5], [[1.0, 0.0, 1.0, 0.0, 1.0]], completion_lengths=[[30, 5, 20, 4, 10]])
    assert scores[0] == [(1.0, -30.0), (0.0, -5.0), (1.0, -20.0), (0.0, -4.0), (1.0, -10.0)]
    assert select(scores[0], 2) == [2, 4]
    assert select(scores[0], 4) == [0, 2, 3, 4]


@pytest.mark.parametrize("options", [{"threshold": math.nan}, {"reward": ""}, {"threshold": "0.5"}, {"rewrad": "x"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        EXTENSION.options(**options)
