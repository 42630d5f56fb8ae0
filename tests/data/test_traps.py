"""The traps of data, D01 to D18 (there is no D07 or D16): files in, rows or a refusal out."""

import gzip
import json
import os

import pytest

from gpocli.data import gather, prepare
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec
from tests.data.reading import read_rows

ANSWERS = ["007", 5, "1e3", "None", "null", "true", "2024-05-01", "2024-05-01T10:00:00", "12:30", 5.0, [5], None, True]
CELLS = ["NA", "None", "null", "007", "3", "3.0", "1e5", "TRUE", "2024-05-01", '"1,234"', ""]


def lines(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def with_answers(*answers):
    return lines(*({"prompt": "p", "answer": answer} for answer in answers))


HINTS = [{"prompt": "p", "hint": None}] * 29_000 + [{"prompt": "p", "hint": "late"}]
NESTED = lines({"prompt": "p", "info": {"a": 1}}, {"prompt": "q", "info": {"b": 2}})
SEPARATORS = ["a\u2028b", "a\u2029b", "a\x85b", "a\0b", "👩‍👩‍👧", "\u202eשלום"]
PARTS = [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]
CHAT = [{"role": "user", "content": "hi"}]

READ = [
    ("D01 a column that is empty at first", "d.jsonl", lines(*HINTS[-2:]), "hint", [None, "late"]),
    ("D01 and empty for 29,000 rows", "d.jsonl", lines(*HINTS), "hint", [None] * 29_000 + ["late"]),
    ("D02 values of other types", "d.jsonl", with_answers(5, "5", 5.0, None), "answer", [5, "5", 5.0, None]),
    ("D02 a key more, a key less", "d.jsonl", lines({"prompt": "a", "x": 1}, {"prompt": "b"}), "x", [1, None]),
    ("D03 CSV with a mark", "d.csv", b"\xef\xbb\xbfprompt,answer\r\na,b\r\n", "answer", ["b"]),
    ("D03 blanks in the header", "d.csv", " prompt , answer\na,b\n", "answer", ["b"]),
    ("D03 line feeds in a cell", "d.csv", 'prompt,answer\n"a\nb",c\n', "prompt", ["a\nb"]),
    ("D04 JSONL with a mark", "d.jsonl", b"\xef\xbb\xbf" + NESTED.encode(), "info", [{"a": 1}, {"b": 2}]),
    ("D04 and without", "d.jsonl", NESTED, "info", [{"a": 1}, {"b": 2}]),
    ("D05 line separators in strings", "d.jsonl", with_answers(*SEPARATORS), "answer", SEPARATORS),
    (
        "D06 cells stay text",
        "d.csv",
        "prompt,answer\n" + "".join(f"p,{cell}\n" for cell in CELLS),
        "answer",
        [cell.strip('"') for cell in CELLS],
    ),
    ("D08 strings that look like dates", "d.jsonl", with_answers(*ANSWERS[6:9]), "answer", ANSWERS[6:9]),
    ("D13 an empty last line", "d.jsonl", with_answers("x") + "\n", "answer", ["x"]),
    ("D17 text parts are joined", "d.jsonl", lines({"prompt": [{"role": "user", "content": PARTS}]}), "prompt", [CHAT]),
    ("D18 one odd row changes no other", "d.jsonl", with_answers(*ANSWERS), "answer", ANSWERS),
    (
        "D18 prompts that look like JSON",
        "d.jsonl",
        lines(*({"prompt": one} for one in ("7", "true", "[1]"))),
        "prompt",
        ["7", "true", "[1]"],
    ),
]


@pytest.mark.parametrize(
    ("name", "content", "column", "values"), [row[1:] for row in READ], ids=[row[0] for row in READ]
)
def test_it_is_read_as_it_stands(tmp_path, name, content, column, values):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    read = [row[column] for row in read_rows(str(path))]
    assert read == values
    assert [type(value) for value in read] == [type(value) for value in values]


REFUSED = [
    (
        "D03 semicolons",
        "d.csv",
        "prompt;answer\na;b\n",
        ":1: the columns are separated by semicolons ('prompt;answer'); save it with commas",
    ),
    (
        "D03 UTF-16",
        "d.csv",
        "prompt\na\n".encode("utf-16"),
        ":1: the file is UTF-16 or UTF-32, not UTF-8; save it as UTF-8",
    ),
    (
        "D03 Windows-1252",
        "d.csv",
        "prompt\né\n".encode("cp1252"),
        ":2: byte 0xe9 is not UTF-8 (in Windows-1252 it would be 'é'); save the file as UTF-8",
    ),
    (
        "D05 half a surrogate pair",
        "d.jsonl",
        '{"prompt": "\\ud83d"}\n',
        ":1: prompt holds half a surrogate pair (\\ud83d), which is no character (1 of 1 rows); mend them, or set "
        "data.bad_rows=drop",
    ),
    (
        "D11 no prompt column",
        "d.jsonl",
        lines({"question": "q", "answer": "a"}),
        ": no column 'prompt'; columns found: 'question', 'answer'; map one with "
        "--map prompt=question (data.columns in a spec)",
    ),
    (
        "D13 bad prompts",
        "d.jsonl",
        lines({"prompt": None}, {"prompt": ""}, {"prompt": 7}, {"prompt": "ok"}, {"prompt": [{"role": "user"}]}),
        ":1: prompt is null or missing; 4 of 5 rows have no usable prompt (1 times prompt is null or missing, 1 times "
        "prompt is empty, 1 times prompt is neither text nor messages, 1 times a message has no content); mend them, "
        "or set data.bad_rows=drop",
    ),
    (
        "D13 broken JSON",
        "d.jsonl",
        lines({"prompt": "a"}, {"prompt": "b"}) + '{"prompt": \n',
        ":3:1: not valid JSON (expecting value); write one JSON object a line",
    ),
    ("D13 an empty file", "d.jsonl", "", ": holds no rows; name a source that has some"),
    (
        "D15 plain, then chat",
        "d.jsonl",
        lines({"prompt": "a"}, {"prompt": CHAT}),
        ":2: prompt is a list of messages, but plain text in the first row ({}:1); write all prompts of a source in "
        "one form",
    ),
    (
        "D15 chat, then plain",
        "d.jsonl",
        lines({"prompt": CHAT}, {"prompt": "a"}),
        ":2: prompt is plain text, but a list of messages in the first row ({}:1); write all prompts of a source in "
        "one form",
    ),
    (
        "D17 an image part",
        "d.jsonl",
        lines({"prompt": [{"role": "user", "content": [{"type": "image"}]}]}),
        ":1: message 1 has a part of type 'image'; only text can be trained on (1 of 1 rows); mend them, or set "
        "data.bad_rows=drop",
    ),
    (
        "D17 the assistant speaks last",
        "d.jsonl",
        lines({"prompt": [*CHAT, {"role": "assistant", "content": "yes"}]}),
        ":1: prompt ends with an assistant message, which is the policy's to write (1 of 1 rows); mend them, or set "
        "data.bad_rows=drop",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_it_is_refused_with_its_line(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SpecError) as error:
        read_rows(str(path))
    assert str(error.value) == str(path) + message.replace("{}", str(path))


@pytest.mark.parametrize("source", ["./trian.jsonl", "data/none.csv", "~/x.jsonl", "none*.jsonl", "data\\a.jsonl"])
def test_d14_a_missing_file_is_never_looked_for_on_a_hub(tmp_path, monkeypatch, source):
    """`tests/data/test_location.py` has what is said to each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SpecError, match=r"^no (such )?file "):
        read_rows(source)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_d09_an_edited_file_is_read_anew_and_has_another_digest(tmp_path, pack):
    path = tmp_path / ("d.jsonl" if pack is bytes else "d.jsonl.gz")
    path.write_bytes(pack(with_answers("old").encode()))
    before, times = read_rows(str(path)), os.stat(path)
    path.write_bytes(pack(with_answers("new").encode()))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = read_rows(str(path))
    assert (before[0]["answer"], after[0]["answer"]) == ("old", "new")
    assert before.digest != after.digest


def test_d10_a_local_file_needs_no_network(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    path = tmp_path / "d.jsonl"
    path.write_text(with_answers("x"))
    assert len(read_rows(str(path))) == 1


def test_d12_a_missing_column_is_told_for_train_and_eval(tmp_path, monkeypatch):
    from gpocli.checks.preflight import examine
    from gpocli.spec.sources import SpecSources, draft_run_spec

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.jsonl").write_text(with_answers("1") * 8)
    (tmp_path / "eval.jsonl").write_text(lines({"prompt": "p", "solution": "1"}))
    overrides = ["data.source=train.jsonl", "data.eval_source=eval.jsonl", "run.eval_every=1"]
    faults = examine(draft_run_spec(SpecSources(overrides=overrides)), 1).faults
    assert [str(fault) for fault in faults] == [
        "eval.jsonl: reward 'accuracy' needs a column 'answer'; columns found: 'prompt', 'solution'; map one with "
        "--map answer=solution (data.columns in a spec)"
    ]


def test_d13_dropped_rows_are_counted_and_none_left_is_refused(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(lines({"prompt": ""}, {"prompt": "a"}))
    rows = read_rows(str(path), bad_rows="drop")
    assert list(rows.lines) == [2]
    assert rows.notes == (f"dropped rows without a usable prompt: {path}:1: prompt is empty (1 of 2 rows)",)
    path.write_text(lines({"prompt": ""}))
    with pytest.raises(SpecError, match=r"mend these rows$"):
        read_rows(str(path), bad_rows="drop")


def test_d17_a_row_keeps_its_own_system_message(tmp_path):
    own = [{"role": "system", "content": "mine"}, *CHAT]
    path = tmp_path / "d.jsonl"
    path.write_text(lines({"prompt": own}, {"prompt": CHAT}))
    rows = read_rows(str(path), system="yours")
    assert [row["prompt"] for row in rows] == [own, [{"role": "system", "content": "yours"}, *CHAT]]


def test_d17_no_null_keys_come_out_of_a_table():

    message = {"role": "user", "content": "hi", "name": None, "meta": {"a": 1, "b": None}}
    table = gather("d.parquet", [(1, {"prompt": [message]})], unit="row")
    assert prepare(table, DataSpec())[0]["prompt"] == [{"role": "user", "content": "hi", "meta": {"a": 1}}]
