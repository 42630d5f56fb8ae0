import pytest

from gpocli.builtin.guards.absurd_rewards import EXTENSION
from tests.builtin.guards.showing import alarms, first


def step(mean=0.5, std=0.5):
    return {"reward": 0.0, "rewards/accuracy/mean": 0.5, "rewards/mine/mean": mean, "rewards/mine/std": std}


@pytest.mark.parametrize("bad", [step(1e30, None), step(-1e30), step(0.0, 2e6)])
def test_one_step_is_enough(bad):
    assert first(EXTENSION, [step(), step(None, None), bad]) == 3


def test_the_bound_itself_is_not_beyond_it():
    assert first(EXTENSION, [step(1e6, 1e6)]) is None
    assert first(EXTENSION, [step(2.0)], bound=1.5) == 1


def test_it_names_reward_figure_and_bound():
    assert alarms(EXTENSION, [step(1e30)])[0].text == "rewards/mine/mean is 1e+30, beyond 1e+06"
