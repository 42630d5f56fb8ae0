"""Rows of a sound run that are worth a look are told with their places; tests/cli/test_check.py has the words."""

from gpocli.checks.preflight import examine
from gpocli.checks.rows import examine_rows
from gpocli.spec.sources import SpecSources, draft_run_spec


def test_the_embedded_task_has_nothing_to_tell():
    draft = draft_run_spec(SpecSources())
    assert examine_rows(draft, examine(draft).ready) == ([], [])


def test_long_prompts_are_faults_and_repeats_are_notes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"prompt": "1+1=", "answer": "2"}\n' * 8)
    draft = draft_run_spec(SpecSources(overrides=["data.source=a.jsonl", "data.max_prompt_tokens=3"]))
    faults, notes = examine_rows(draft, examine(draft).ready)
    assert [str(fault)[:25] for fault in faults] == ["a.jsonl:1: prompt of 4 to"]
    assert [note[:45] for note in notes] == ["a.jsonl:2: the prompt of a.jsonl:1 again (the"]
