"""A limit stops a run as SIGTERM does."""

import signal
import time

import pytest

from gpocli.training.loading_signals import Stopped, interruptible
from gpocli.training.time_limit import TimeLimit


@pytest.mark.parametrize("seconds", [0.01, -5.0])
def test_at_its_end_comes_a_sigterm(seconds):
    limit = TimeLimit(seconds)
    with pytest.raises(Stopped) as caught, interruptible(), limit.running():
        time.sleep(99)
    assert (caught.value.number, limit.is_reached) == (signal.SIGTERM, True)


@pytest.mark.parametrize("seconds", [None, 600.0])
def test_before_its_end_nothing_happens(seconds):
    limit = TimeLimit(seconds)
    with limit.running():
        pass
    assert not limit.is_reached
