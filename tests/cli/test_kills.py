"""Runs that are killed at random moments go on to the same end; `python -m tests.kill_driver` has more of it."""

import random

import pytest

from tests.kill_driver import Driver, folder_in


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "kills"), [(1, 8), (2, 4)])
def test_a_run_that_is_killed_again_and_again_ends_as_if_nothing_had_happened(tmp_path, processes, kills):
    driver = Driver(folder_in(tmp_path), processes, random.Random(7))
    driver.kill(kills)
    assert driver.tally.kills == kills
