from gpocli.builtin.guards.entropy_collapse import EXTENSION
from tests.builtin.guards.showing import first


def test_twenty_steps_without_entropy_are_too_many():
    assert first(EXTENSION, [{"entropy": 0.0009}] * 20) == 20


def test_the_bound_itself_and_steps_that_tell_nothing_are_not():
    assert first(EXTENSION, [{"entropy": 0.001}] * 50) is None
    assert first(EXTENSION, [{"entropy": None}, {}] * 50) is None
