from gpocli.builtin.guards.constant_reward import EXTENSION
from tests.builtin.guards.showing import alarms, first


def step(mean, std=0.0, other_std=0.4):
    return {
        "rewards/other/mean": 0.5,
        "rewards/other/std": other_std,
        "rewards/mine/mean": mean,
        "rewards/mine/std": std,
    }


def test_twenty_steps_with_one_value_are_a_word_worth():
    assert first(EXTENSION, [step(0.3)] * 20) == 20
    assert first(EXTENSION, [step(None, None)] * 20) == 20


def test_a_reward_that_varied_once_is_not_constant():
    assert first(EXTENSION, [step(0.3, 0.1), *[step(0.3)] * 50]) is None
    assert first(EXTENSION, [step(0.3), *[step(0.4)] * 50]) is None


def test_where_no_other_varies_it_is_for_other_guards():
    assert first(EXTENSION, [step(0.3, other_std=0.0)] * 50) is None


def test_it_names_the_reward_and_its_value():
    assert alarms(EXTENSION, [step(0.3)], window=1)[0].text.startswith("the reward 'mine' was 0.3 for every completion")
    text = alarms(EXTENSION, [step(None, None)], window=1)[0].text
    assert text.startswith("the reward 'mine' applied to no completion of 1 steps")
