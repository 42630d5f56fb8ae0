"""Fewer candidates are recorded by a rule that holds over a resume."""

import pytest

from gpocli.runs.directory import RunDirectory
from gpocli.runs.recording import Recording
from gpocli.runs.records import candidate_records, read_candidates
from tests.runs.made_run import four


@pytest.fixture
def directory(tmp_path):
    run = RunDirectory.create(tmp_path / "run")
    yield run
    run.close()


def recorded(directory):
    return [(one.step, one.candidate) for one in candidate_records(read_candidates(directory.path))]


def test_all_are_recorded(directory):
    take = Recording(directory, "all", 1)
    take(four(1, 0))
    take([])
    take(four(2, 0))
    assert recorded(directory) == [(step, number) for step in (1, 2) for number in range(4)]


def test_the_kept_alone_are_recorded(directory):
    Recording(directory, "kept", 1)(four(1, 0))
    assert recorded(directory) == [(1, 0), (1, 1)]


@pytest.mark.parametrize("stopped_after", [None, 1, 3, 4])
def test_steps_are_apart_also_when_resumed(directory, stopped_after):
    take = Recording(directory, "kept", 3)
    for step in (1, 2, 3, 4, 5, 6, 7):
        take(four(step, 0))
        take(four(step, 1))  # a second generation batch of the step
        if step == stopped_after:
            take = Recording(directory, "kept", 3)
    assert sorted({step for step, _ in recorded(directory)}) == [1, 4, 7]
    assert len(recorded(directory)) == 3 * 2 * 2


def test_batches_that_last_several_steps_are_apart(directory):
    take = Recording(directory, "kept", 6)
    for step in (1, 5, 9, 13, 17):
        take(four(step, 0))
    assert sorted({step for step, _ in recorded(directory)}) == [1, 9, 17]
