"""Lengths at both ends of a run, and groups that show a choice."""

from gpocli.report.lengths import examples, lengths
from gpocli.runs.groups import GroupFiles
from tests.runs.made_run import candidate, four, record


def files(path, *batches):
    record(path, *batches)
    return GroupFiles(path / "candidates")


def test_shares_are_counted(tmp_path):
    first = [candidate(1, 0, n, "kept", text="x" * length) for n, length in enumerate((1, 1, 3))]
    last = [candidate(2, 0, 0, "kept", text="x"), candidate(2, 0, 1, "rejected", text="xxxxx")]
    found = lengths(files(tmp_path, first, last))
    assert found is not None
    assert found.edges == [0.0, 1.0, 2.0, 3.0]
    assert found.start == [0.0, 2 / 3, 0.0, 1 / 3]
    assert found.end == [0.0, 1.0, 0.0, 0.0]


def test_one_step_has_no_start_and_end(tmp_path):
    assert lengths(files(tmp_path, four(1, 0))) is None


def test_examples_show_a_choice_first(tmp_path):
    all_kept = [candidate(2, 0, 0, "kept"), candidate(2, 0, 1, "kept")]
    found = examples(files(tmp_path, four(1, 0), all_kept + four(2, 1)), 2)
    assert [(group.step, group.number) for group in found] == [(2, 1), (2, 0)]
    assert examples(GroupFiles(tmp_path / "none"), 2) == []
