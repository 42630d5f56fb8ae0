from gpocli.builtin.guards.unscored import EXTENSION
from tests.builtin.guards.showing import first


def test_no_reward_for_five_steps_is_too_little():
    assert first(EXTENSION, [{"reward": None}] * 5) == 5


def test_a_reward_of_zero_is_one():
    assert first(EXTENSION, [{"reward": 0.0}] * 50) is None


def test_steps_without_a_new_generation_count_neither_way():
    assert first(EXTENSION, [{"reward": None}, {"new_generation": False}], window=2) is None
    assert first(EXTENSION, [{"reward": None}, {"new_generation": False}] * 2, window=2) == 3
