"""Recorded candidates come back group by group, from the files that hold what is asked for alone."""

import pytest

from gpocli.errors import SpecError
from gpocli.runs.groups import GroupFiles
from tests.runs.made_run import four, record


@pytest.fixture
def files(tmp_path):
    record(tmp_path, four(1, 0) + four(1, 1), four(2, 0), four(2, 1))
    return GroupFiles(tmp_path / "candidates")


def places(batches):
    return [[(one.step, one.number, one.prompt_id) for one in batch] for batch in batches]


def test_a_batch_has_its_groups(files):
    assert places(files.batches()) == [[(1, 0, "1"), (1, 1, "2")], [(2, 0, "1")], [(2, 1, "2")]]
    assert files.steps == [1, 2]
    first = next(files.batches())[0]
    assert [one.outcome for one in first.candidates] == ["kept", "kept", "rejected", "lost"]
    assert first.prompt == "prompt 1"


def test_steps_and_prompts_are_picked(files):
    assert places(files.batches(lambda step: step == 2)) == [[(2, 0, "1")], [(2, 1, "2")]]
    assert places(files.batches(prompt_id="2")) == [[(1, 1, "2")], [(2, 1, "2")]]


def test_only_what_is_asked_for_is_read(files):
    files.files[-1].write_bytes(b"damaged")
    assert next(files.batches())[0].step == 1
    with pytest.raises(SpecError, match="cannot read the candidates"):
        list(files.batches())
    with pytest.raises(SpecError, match="cannot read the candidates"):
        list(files.batches(prompt_id="9"))


def test_nothing_recorded_is_no_batch(tmp_path):
    assert list(GroupFiles(tmp_path / "none").batches()) == []
