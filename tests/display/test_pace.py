"""How fast steps come, by a clock that the test turns."""

import pytest

from gpocli.display import pace
from gpocli.display.pace import Pace


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    return now


def test_nothing_is_known_before_a_step(clock):
    assert Pace().seconds_a_step() is None
    assert Pace(10).left() is None


def test_a_resumed_run_counts_its_own_steps(clock):
    measured = Pace(7, first_step=3)
    clock[0] += 10.0
    measured.tick(5)
    measured.tick(5)
    assert measured.seconds_a_step() == 5.0
    assert measured.left() == 10.0
    clock[0] += 4.0
    assert (measured.left(), measured.elapsed()) == (6.0, 14.0)
    clock[0] += 100.0
    assert measured.left() == 0.0


def test_only_the_last_twenty_steps_count(clock):
    measured = Pace()
    for step, seconds in enumerate([50.0] * 5 + [1.0] * 20, 1):
        clock[0] += seconds
        measured.tick(step)
    assert measured.seconds_a_step() == 1.0
