"""Recorded completions come back with the rows that they answer, spread over the run."""

import pytest

from gpocli.data import ROW_KEY, gather
from gpocli.errors import SpecError
from gpocli.runs.records import CandidateRecord, CandidateWriter
from gpocli.trial.recorded import recorded, run_spec

ROWS = gather("data.jsonl", [(line, {"prompt": f"p{line}", "answer": str(line)}) for line in (1, 2, 3)])


def record(step, line, candidate, outcome="rejected"):
    return CandidateRecord(
        step, line, 0, candidate, f"p{line}", f"{step}.{candidate}", [1, 2], 2, True, {"r": 0.5}, 0.5, None,
        outcome == "kept", outcome, None,
    )  # fmt: skip


@pytest.fixture
def run(tmp_path):
    """A run of three steps of one group each, as `write(records)` leaves it."""
    writer = CandidateWriter(tmp_path / "candidates")

    def write(*steps):
        for records in steps:
            writer(records)
        return tmp_path

    return write


def steps(*numbers):
    return [[record(step, step, 0, "kept"), record(step, step, 1)] for step in numbers]


def test_candidates_come_with_their_row(run):
    samples = recorded(run(*steps(1, 2)), ROWS, 5)
    assert [group.row for group in samples.groups] == [
        {"prompt": "p1", "answer": "1", ROW_KEY: 1},
        {"prompt": "p2", "answer": "2", ROW_KEY: 2},
    ]
    (first, second) = samples.groups[0].candidates
    assert (first.kind, first.place, first.text) == ("kept", "candidate 0 of group 0 of step 1", "1.0")
    assert (second.kind, second.rewards, second.tokens) == ("rejected", {"r": 0.5}, [1, 2])


def test_groups_are_spread_over_the_run(run):
    samples = recorded(run(*steps(1, 2, 3)), ROWS, 2)
    assert [group.row["prompt"] for group in samples.groups] == ["p1", "p2"]  # the first of each half
    assert samples.origin.startswith("4 recorded completions of 2 groups of ")


def test_lost_candidates_are_left_out(run):
    samples = recorded(run([record(1, 1, 0, "lost"), record(1, 1, 1)], [record(2, 2, 0, "lost")]), ROWS, 5)
    assert [one.place for one in samples.candidates] == ["candidate 1 of group 0 of step 1"]


def test_a_row_that_the_data_lacks_is_told(run):
    with pytest.raises(SpecError, match=r"answer row 9, which data\.jsonl does not have; name the data of the run"):
        recorded(run([record(1, 9, 0)]), ROWS, 5)


def test_what_is_no_run_directory_is_told(tmp_path):
    with pytest.raises(SpecError, match=r"is no run directory \(it has no spec\.yaml\); check the path"):
        run_spec(tmp_path)


def test_lost_candidates_are_counted(run):
    folder = run([record(1, 1, 0, "kept"), record(1, 1, 1, "lost")], [record(2, 2, 0), record(2, 2, 1, "lost")])
    assert recorded(folder, ROWS, 5).origin.endswith("; 2 lost candidates of them left out, whose text is not whole")
