from gpocli.builtin.guards.weights import EXTENSION
from tests.builtin.guards.showing import alarms, first


def test_it_speaks_up_at_once():
    assert first(EXTENSION, [{"loss": 0.1}, {"loss": 0.1, "weights/not_finite": 1.0}]) == 2


def test_only_the_last_update_is_bad():
    assert alarms(EXTENSION, [{"weights/not_finite": 1.0}])[0].lines == 0
