"""The prompts of an evaluation are those that a run evaluates on, or those that are named."""

import shutil

import pytest

from gpocli.asking.source import find_asked
from gpocli.embedded import MODEL_PATH
from gpocli.embedded.task import rows
from gpocli.errors import SpecError
from gpocli.measuring.prompts import Wanted, rows_of
from tests.measuring.runs import make_run

FILE = '{"question": "1+1=?", "answer": "2"}\n{"question": "2+1=?", "answer": "3"}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asked.jsonl").write_text(FILE)


def test_the_embedded_model_has_its_held_out_sums():
    data, found = rows_of(find_asked("embedded"), Wanted(limit=3))
    assert (data.source, data.split) == ("embedded", "eval")
    assert [dict(one) for one in found] == rows("eval", 3)


def test_a_run_has_what_it_evaluates_on(tmp_path):
    run = make_run(
        tmp_path / "x",
        data={"source": "gone.jsonl", "eval_source": "asked.jsonl", "columns": {"prompt": "question"}, "system": "S"},
    )
    _, found = rows_of(find_asked(run), Wanted())
    assert [dict(one) for one in found] == [{"prompt": "1+1=?", "answer": "2"}, {"prompt": "2+1=?", "answer": "3"}]
    assert len(rows_of(find_asked(run), Wanted(limit=1))[1]) == 1


def test_a_run_without_such_rows_is_told_to_name_some(tmp_path):
    run = make_run(tmp_path / "x", data={"source": "gone.jsonl"})
    with pytest.raises(SpecError, match=r"this run has no rows to evaluate on \(.*\); name some with --data"):
        rows_of(find_asked(run), Wanted())
    copy = shutil.copytree(MODEL_PATH, tmp_path / "copy")
    with pytest.raises(SpecError, match="is no run, so nothing tells what to ask it; name prompts with --data"):
        rows_of(find_asked(str(copy)), Wanted())


@pytest.mark.parametrize("columns", [{"prompt": "question"}, None])
def test_other_rows_are_read_with_the_columns_of_the_run_where_they_have_them(tmp_path, columns):
    own = {"prompt": "question", "answer": "gold"}
    run = make_run(tmp_path / "x", data={"source": "gone.jsonl", "columns": own})
    _, found = rows_of(find_asked(run), Wanted("asked.jsonl", columns=columns))
    assert dict(found[0]) == {"prompt": "1+1=?", "answer": "2"}
