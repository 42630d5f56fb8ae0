from gpocli.builtin.guards.no_signal import EXTENSION
from tests.builtin.guards.showing import alarms, first

FLAT, OLD = {"frac_reward_zero_std": 1.0, "reward": 0.0}, {"new_generation": False}


def test_twenty_flat_steps_in_a_row_are_too_many():
    assert first(EXTENSION, [FLAT] * 20) == 20


def test_one_group_that_differs_is_a_way_out():
    assert first(EXTENSION, [*[FLAT] * 19, {"frac_reward_zero_std": 0.99}] * 3) is None


def test_updates_of_an_earlier_generation_batch_do_not_count():
    assert first(EXTENSION, [FLAT, OLD, OLD], window=2) is None
    assert first(EXTENSION, [FLAT, OLD, OLD, FLAT], window=2) == 4


def test_it_says_since_when_and_what_the_reward_was():
    alarm = alarms(EXTENSION, [{"frac_reward_zero_std": 0.5}, FLAT, OLD, FLAT], window=2)[-1]
    assert alarm.lines == 3
    assert alarm.text.endswith("so every advantage was 0, in 2 steps in a row")
    assert alarm.cure.startswith("the reward is 0 on average: ")


def test_it_says_how_many_were_wrong_and_right():
    (alarm,) = alarms(EXTENSION, [FLAT | {"groups/all_wrong": 0.75, "groups/all_right": 0.25}], window=1)
    assert alarm.text == "every group was flat, 75% all wrong and 25% all right, so every advantage was 0,"
