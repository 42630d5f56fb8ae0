"""Candidates are asked for by step, prompt, outcome and reward."""

import pytest

from gpocli.errors import SpecError
from gpocli.runs.groups import GroupFiles
from gpocli.runs.selection import Asked, read_rewards, read_steps
from tests.runs.made_run import candidate, four, record


@pytest.fixture
def files(tmp_path):
    low = [candidate(2, 1, 0, "kept", reward=0.25), candidate(2, 1, 1, "kept", reward=0.75)]
    record(tmp_path, four(1, 0), four(2, 0) + low)
    return GroupFiles(tmp_path / "candidates")


def found(asked, files):
    return [(group.step, group.number, [one.candidate for one in chosen]) for group, chosen in asked.groups(files)]


def test_all_is_asked_for(files):
    assert found(Asked(), files) == [(1, 0, [0, 1, 2, 3]), (2, 0, [0, 1, 2, 3]), (2, 1, [0, 1])]


def test_groups_are_picked_by_what_is_in_them(files):
    assert found(Asked(steps=(2, 2), prompt_id="2"), files) == [(2, 1, [0, 1])]
    assert found(Asked(outcomes=["rejected", "lost"]), files) == [(1, 0, [2, 3]), (2, 0, [2, 3])]
    assert found(Asked(rewards=(0.25, 0.5)), files) == [(2, 1, [0])]


@pytest.mark.parametrize(
    ("text", "bounds"), [("last", (9, 9)), ("first", (3, 3)), ("all", None), ("3", (3, 3)), ("1-5", (1, 5))]
)
def test_steps_are_read(text, bounds):
    assert read_steps(text, [3, 9]) == bounds


def test_a_run_without_records_has_no_steps():
    assert read_steps("last", []) is None


@pytest.mark.parametrize("text", ["4-8", "10", "-1", "x", "3-", ""])
def test_what_is_no_step_is_told(text):
    with pytest.raises(SpecError):
        read_steps(text, [3, 9])


def test_rewards_are_read():
    inf = float("inf")
    assert [read_rewards(text) for text in ("1", "0:1", "0.5:", ":0")] == [(1, 1), (0, 1), (0.5, inf), (-inf, 0)]
    with pytest.raises(SpecError, match="--with-reward 'high' is no reward"):
        read_rewards("high")
