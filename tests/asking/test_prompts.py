"""Prompts are asked as they come: typed, a line each, or rows as training reads them."""

import io
import json

import pytest

from gpocli.asking.prompts import given_prompts, prompts_of_file, prompts_of_stream, ready
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec

PLAIN = DataSpec()


def texts(rows):
    return [row["prompt"] for row in rows]


def test_what_is_typed_is_one_prompt_whatever_it_holds():
    assert texts(given_prompts(["2+3=?", "two\nlines"])) == ["2+3=?", "two\nlines"]


def test_a_text_file_has_a_prompt_a_line(tmp_path):
    (tmp_path / "q.txt").write_text("\ufefffirst\n\n  \nsecond\n", encoding="utf-8")
    rows = prompts_of_file(f"{tmp_path}/q.txt", PLAIN)
    assert (texts(rows), rows.place(1)) == (["first", "second"], f"{tmp_path}/q.txt:4")


def test_rows_are_read_as_for_training(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"question": "2+3=?", "answer": "5", "completion": "no reason to refuse"}\n')
    data = DataSpec(columns={"prompt": "question", "answer": "solution"})
    rows = ready(prompts_of_file(f"{tmp_path}/q.jsonl", data), data, chat=False)
    assert (texts(rows), rows.columns) == (["2+3=?"], ("prompt",))


def test_a_mapping_of_a_run_is_for_rows_that_have_its_column():
    data = DataSpec(columns={"prompt": "question"})
    with pytest.raises(SpecError, match="no column 'question'"):
        ready(prompts_of_stream(io.StringIO('{"text": "a"}')), data, chat=False)
    assert texts(ready(given_prompts(["a"]), data, chat=False)) == ["a"]


@pytest.mark.parametrize(
    ("text", "prompts"),
    [
        ("one\ntwo\n", ["one", "two"]),
        ('{"prompt": "one\\ntwo"}\n{"prompt": "three"}\n', ["one\ntwo", "three"]),
        ('{"prompt": "one"}\ntwo\n', ['{"prompt": "one"}', "two"]),
        ("7\n", ["7"]),
    ],
)
def test_standard_input_is_lines_or_rows(text, prompts):
    assert texts(prompts_of_stream(io.StringIO(text))) == prompts


def test_a_chat_gets_the_system_message_of_the_run():
    said = {"role": "user", "content": "a"}
    assert texts(ready(given_prompts(["a"]), PLAIN, chat=True)) == [[said]]
    rows = ready(given_prompts(["a"]), DataSpec(system="Be brief."), chat=True)
    assert texts(rows) == [[{"role": "system", "content": "Be brief."}, said]]
    chat = prompts_of_stream(io.StringIO(json.dumps({"prompt": [said]})))
    assert texts(ready(chat, PLAIN, chat=False)) == [[said]]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (given_prompts([]), "prompts: no prompt; write one as an argument"),
        (given_prompts(["a", " "]), "prompts:2: prompt is empty"),
    ],
)
def test_no_prompt_and_an_empty_one_are_told(rows, told):
    with pytest.raises(SpecError, match=told):
        ready(rows, PLAIN, chat=True)


@pytest.mark.parametrize(
    ("name", "raw", "told"),
    [("none.txt", None, "cannot read '.*none.txt' \\(No such file"), ("latin.txt", b"\xe4", "is not text in UTF-8")],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path, name, raw, told):
    if raw is not None:
        (tmp_path / name).write_bytes(raw)
    with pytest.raises(SpecError, match=told):
        prompts_of_file(f"{tmp_path}/{name}", PLAIN)
