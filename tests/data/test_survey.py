"""A source looked at as a whole: every kind of fault once, with its number and first place."""

import pytest

from gpocli.data.read import read_file
from gpocli.data.survey import survey
from gpocli.settings.data import DataSpec


@pytest.fixture
def look(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def look(content, name="d.jsonl", gold=(), **settings):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return survey(DataSpec(source=name, **settings), lambda on_fault: read_file(name, on_fault=on_fault), gold)

    return look


def test_sound_data_has_no_faults(look):
    found = look('{"prompt": "a", "answer": "1"}\n{"prompt": "b", "answer": "1"}\n')
    assert (found.source, found.total, found.faults, found.notes) == ("d.jsonl", 2, [], [])
    assert found.kinds == {"prompt": {"text": 2}, "answer": {"text": 2}}
    assert found.rows is not None
    assert len(found.digest) == 64


def test_every_kind_of_fault_is_told_at_once(look):
    content = (
        '{"prompt": \n{"prompt": "a", "completions": 1}\n[1]\n{"prompt": ""}\n{"prompt": " "}\n{"prompt": \n'
        '{"prompt": 7}\n{"prompt": [{"role": "user", "content": "x"}]}\n{"a": 1, "a": 2}\n'
    )
    assert look(content, columns={"answer": "gold"}).faults == [
        "d.jsonl:1:1: not valid JSON (expecting value); write one JSON object a line (the first of 2)",
        "d.jsonl:3: a list where an object is expected; write one JSON object a line",
        "d.jsonl:9: cannot be read (key 'a' twice in one object); write one JSON object a line",
        "d.jsonl: no column 'gold', which data.columns.answer names; columns found: 'prompt', 'completions'; name one "
        "of these",
        "d.jsonl: the column name 'completions' is taken (rewards and filters get something else under it); rename the "
        "column with --map data_completions=completions (data.columns in a spec)",
        "d.jsonl:4: prompt is empty; mend it, or set data.bad_rows=drop (the first of 2)",
        "d.jsonl:7: prompt is 7, not text or messages; mend it, or set data.bad_rows=drop",
        "d.jsonl:8: prompt is a list of messages, but plain text in the first row (d.jsonl:2); write all prompts of a "
        "source in one form",
    ]


def test_every_kind_of_fault_of_a_csv_is_told_at_once(look):
    content = b'prompt,answer\na,1,2\n"b"c,1\n\xe9,1\nd,1\ne\n'
    found = look(content, "d.csv")
    assert found.faults == [
        "d.csv:2: 3 cells where the first line names 2 columns; quote cells that hold a comma (the first of 2)",
        "d.csv:3: broken quotes (',' expected after '\"'); quote the whole cell and write \"\" for a quote inside it",
        "d.csv:4: byte 0xe9 is not UTF-8 (in Windows-1252 it would be 'é'); save the file as UTF-8",
    ]
    assert found.total == 2  # the rows of lines 4 and 5


@pytest.mark.parametrize(
    ("content", "name", "fault"),
    [
        ("", "d.jsonl", "d.jsonl: holds no rows; name a source that has some"),
        ("prompt;answer\na;1\n", "d.csv", "d.csv:1: the columns are separated by semicolons ('prompt;answer'); save it "
         "with commas"),
        ("prompt\n".encode("utf-16"), "d.csv", "d.csv:1: the file is UTF-16 or UTF-32, not UTF-8; save it as UTF-8"),
        ('[{"prompt": "a"}, {"prompt"]', "d.json", "d.json:1: not valid JSON (expecting ':' delimiter); the file must "
         "hold one list of objects"),
        (b"PAR1", "d.parquet", None),
        (b"\x1f\x8bx", "d.jsonl.gz", None),
    ],
)  # fmt: skip
def test_what_ends_the_reading_is_the_one_fault(look, content, name, fault):
    (told,) = look(content, name).faults
    assert fault is None or told.replace(":1:27:", ":1:").replace(":1:28:", ":1:") == fault


def test_a_missing_file_is_a_fault():
    found = survey(DataSpec(source="none.jsonl"), lambda on_fault: read_file("none.jsonl", on_fault=on_fault))
    assert found.faults == ["no such file 'none.jsonl'; check the path"]


def test_bad_rows_that_are_dropped_are_notes(look):
    found = look('{"prompt": ""}\n{"prompt": "a"}\n', bad_rows="drop")
    assert (found.faults, found.notes) == ([], ["d.jsonl:1: prompt is empty; the row is dropped"])
    assert look('{"prompt": ""}\n', bad_rows="drop").faults == ["d.jsonl: no row has a usable prompt; mend the rows"]


def test_repeats_are_noted_apart_from_other_answers(look):
    rows = [("a", "1"), ("b", "1"), ("a", "1"), ("a", "2"), ("b", 1), ("a", "1")]
    text = "".join(f'{{"prompt": "{p}", "answer": {a!r}}}\n'.replace("'", '"') for p, a in rows)
    assert look(text, gold=["answer"]).notes == [
        "d.jsonl:5: column 'answer' holds several kinds of values (text 5, number 1; the first number is here); "
        "rewards get each as it is",
        "d.jsonl:3: the prompt of d.jsonl:1 again (the first of 2; others: d.jsonl:6)",
        "d.jsonl:4: the prompt of d.jsonl:1 again, with another 'answer' ('2', not '1'); one of them is wrong (the "
        "first of 2; others: d.jsonl:5)",
    ]
    assert look(text).notes[1:] == [
        "d.jsonl:3: the prompt of d.jsonl:1 again (the first of 4; others: d.jsonl:4, d.jsonl:5, d.jsonl:6)"
    ]


def test_empty_answers_are_noted_and_listed(look):
    text = '{"prompt": "a", "x": {"gold": "1"}}\n{"prompt": "b", "x": {"gold": " "}}\n{"prompt": "c", "x": {}}\n'
    found = look(text, gold=["x.gold"])
    assert found.notes == ["d.jsonl:2: 'x.gold', which a reward needs, is empty (the first of 2; others: d.jsonl:3)"]
    assert [(one.kind, one.count, one.places) for one in found.named] == [
        ("empty_golds", 2, ["d.jsonl:2", "d.jsonl:3"])
    ]


def test_what_is_missing_is_counted(look):
    found = look('{"prompt": "a", "hint": null}\n{"prompt": "b"}\n{"prompt": "c", "hint": true}\n')
    assert found.kinds["hint"] == {"missing": 2, "true or false": 1}
    assert found.notes == []
