"""How often prompts were answered rightly, counted by hand."""

import pytest

from gpocli.evaluation.visits import Visit, visited
from gpocli.runs.groups import RecordedGroup
from tests.runs.made_run import candidate


def group(step, prompt, *rewards, **more):
    return RecordedGroup([candidate(step, prompt, n, "kept", reward=one, **more) for n, one in enumerate(rewards)])


def test_each_visit_has_its_share_and_the_hardest_prompt_is_first():
    first, second = visited([group(1, 0, 1.0, 1.0), group(1, 1, 0.0, 0.0), group(3, 1, 1.0, 0.0)])
    assert (first.prompt_id, first.visits, first.rate) == ("2", [Visit(1, 0.0), Visit(3, 0.5)], 0.25)
    assert (second.prompt_id, second.rate) == ("1", 1.0)


def test_unknown_rewards_do_not_count():
    (one,) = visited([group(1, 0, None, 1.0, 0.0), group(2, 0, None, None)])
    assert one.visits == [Visit(1, 0.5)]


@pytest.mark.parametrize(("rewards", "rate"), [((0.4, 0.6), 0.5), ((0.1, 0.2), 0.0)])
def test_the_reward_that_tells_what_is_right_must_be_above_a_half(rewards, rate):
    assert visited([group(1, 0, *rewards)])[0].rate == rate


def test_without_such_a_reward_a_sum_above_0_is_right():
    recorded = RecordedGroup(
        [candidate(1, 0, n, "kept", reward=one, rewards={"mine": one}) for n, one in enumerate((0.1, -0.5))]
    )
    assert visited([recorded])[0].rate == 0.5
