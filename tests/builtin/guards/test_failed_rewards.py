from gpocli.builtin.guards.failed_rewards import EXTENSION
from tests.builtin.guards.showing import alarms, first


def step(judge, other=0.0):
    return {"rewards/judge/failed": judge, "rewards/other/failed": other}


def test_most_calls_failing_five_times_in_a_row_are_too_many():
    assert first(EXTENSION, [step(0.6)] * 5) == 5


def test_half_of_the_calls_may_fail_and_all_now_and_then():
    assert first(EXTENSION, [step(0.5)] * 50) is None
    assert first(EXTENSION, [step(1.0), step(0.0)] * 50) is None


def test_steps_that_ask_no_reward_count_neither_way():
    assert first(EXTENSION, [step(1.0), {"loss": 0.0}] * 5) == 9


def test_each_reward_is_looked_at_by_itself():
    assert first(EXTENSION, [step(1.0, 0.0), step(0.0, 1.0)] * 10) is None


def test_it_names_the_one_that_fails():
    text = alarms(EXTENSION, [step(0.6, 1.0), step(0.0, 1.0)], window=2)[1].text
    assert text == "rewards/other/failed is 1, above 0.5 in 2 steps in a row"
