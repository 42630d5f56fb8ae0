import pytest

from gpocli.builtin.guards.not_finite import EXTENSION
from tests.builtin.guards.showing import alarms, first

BAD = {"loss": 0.1, "grad_norm": None}


@pytest.mark.parametrize("bad", [BAD, {"loss": None, "grad_norm": 0.1}, {"loss": None}])
def test_three_steps_in_a_row_are_too_many(bad):
    assert first(EXTENSION, [bad] * 3) == 3


def test_one_overflow_now_and_then_is_not():
    good = {"loss": 0.1, "grad_norm": 0.2}
    assert first(EXTENSION, [BAD, BAD, good] * 5) is None


def test_it_names_what_is_no_number():
    text = alarms(EXTENSION, [BAD], window=1)[0].text
    assert text == "grad_norm NaN or infinite"
