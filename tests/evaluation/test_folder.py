"""What an evaluation leaves is whole at any time, belongs to one writer, and is found again."""

import json

import pytest

from gpocli.errors import SpecError
from gpocli.evaluation.folder import EvaluationFolder, evaluations_in, read_facts
from tests.runs.made_run import candidate


def test_what_is_recorded_is_there_for_who_comes_next(tmp_path):
    first = EvaluationFolder(tmp_path / "a", {"model": "m", "samples": 1})
    first.append([candidate(4, 4, 0, "kept")])
    first.close()
    (tmp_path / "a/candidates/step-000005.part").touch()
    again = EvaluationFolder(tmp_path / "a", {"model": "another name", "samples": 1})
    assert again.recorded == {4}
    assert again.facts == {"format": 1, "state": "begun", "model": "m", "samples": 1}
    again.close()


def test_one_process_writes_at_a_time(tmp_path):
    first = EvaluationFolder(tmp_path, {})
    with pytest.raises(SpecError) as refused:
        EvaluationFolder(tmp_path, {})
    assert str(refused.value) == f"'{tmp_path}' is being written by another process; wait for it"
    first.close()
    EvaluationFolder(tmp_path, {}).close()


def test_those_that_are_done_are_listed_the_oldest_first(tmp_path):
    for name, state, ended in (("b", "done", "2026-01-01"), ("a", "done", "2026-01-02"), ("c", "begun", None)):
        folder = EvaluationFolder(tmp_path / name, {})
        folder.tell(state=state, ended=ended)
        folder.close()
    (tmp_path / "d").mkdir()
    (tmp_path / "d/evaluation.json").write_text("{half")
    assert [path.name for path, _ in evaluations_in(tmp_path)] == ["b", "a"]
    assert read_facts(tmp_path / "d") == read_facts(tmp_path / "none") == {}
    assert json.loads((tmp_path / "a/evaluation.json").read_text())["ended"] == "2026-01-02"
    assert evaluations_in(tmp_path / "none") == []
