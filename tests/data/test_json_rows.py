"""JSON files: text stays text, only a line feed ends a row, and every fault names its line."""

import gzip
import json

import pytest

from gpocli.errors import SpecError
from tests.data.reading import read_rows


@pytest.fixture
def write(tmp_path):
    def write(content, name="d.jsonl"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def answers(source):
    return [row["answer"] for row in read_rows(source)]


def jsonl(*values, key="answer"):
    return "".join(json.dumps({"prompt": "p", key: value}) + "\n" for value in values)


@pytest.mark.parametrize(
    "values",
    [
        ["2024-05-01", "2024-05-02T10:00:00", "12:30"],
        ["007", 5, "1e3", "None", "null", "true", "[1]", "x"],
        [5, "5", 5.0, None, [5], True],
        [{"a": 1}, {"b": None}],
    ],
)
def test_values_are_what_the_file_says(write, values):
    read = answers(write(jsonl(*values)))
    assert read == values
    assert [type(value) for value in read] == [type(value) for value in values]


def test_prompts_that_look_like_json_stay_text(write):
    source = write("".join(json.dumps({"prompt": prompt}) + "\n" for prompt in ("7", "true", "[1]", "null")))
    assert [row["prompt"] for row in read_rows(source)] == ["7", "true", "[1]", "null"]


def test_a_column_may_be_empty_for_a_long_time(write):
    rows = read_rows(write(jsonl(*[None] * 29_000, "late", key="hint")))
    assert rows[0]["hint"] is None
    assert rows[29_000]["hint"] == "late"


@pytest.mark.parametrize("text", ["a\u2028b", "a\u2029b", "a\x85b", "a\0b", "👩‍👩‍👧", "\u202eabc", "a\rb", "a\x0cb"])
@pytest.mark.parametrize("escaped", [True, False])
def test_only_a_line_feed_ends_a_row(write, text, escaped):
    line = json.dumps({"prompt": "p", "answer": text}, ensure_ascii=escaped)
    assert answers(write(f"{line}\r\n{line}\n")) == [text, text]


def test_half_a_surrogate_pair_is_kept_outside_the_prompt(write):
    assert answers(write('{"prompt": "p", "answer": "\\ud83d"}\n')) == ["\ud83d"]


def test_half_a_surrogate_pair_in_a_prompt_is_refused(write):
    source = write('{"prompt": "ok"}\n{"prompt": "a\\ud83d"}\n')
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == (
        f"{source}:2: prompt holds half a surrogate pair (\\ud83d), which is no character (1 of 2 rows); "
        "mend them, or set data.bad_rows=drop"
    )


def test_a_byte_order_mark_changes_nothing(write):
    text = '{"prompt": "p", "info": {"a": 1}}\n{"prompt": "q", "info": {"b": 2}}\n'
    plain = read_rows(write(text, "plain.jsonl"))
    marked = read_rows(write(b"\xef\xbb\xbf" + text.encode(), "marked.jsonl"))
    assert marked.values == plain.values == [{"prompt": "p", "info": {"a": 1}}, {"prompt": "q", "info": {"b": 2}}]


def test_blank_lines_are_passed_over_and_counted(write):
    rows = read_rows(write('{"prompt": "a"}\n\n  \n{"prompt": "b"}\n\n'))
    assert [row["prompt"] for row in rows] == ["a", "b"]
    assert list(rows.lines) == [1, 4]


def test_rows_with_other_keys_get_every_column(write):
    rows = read_rows(write('{"prompt": "a", "x": 1}\n{"prompt": "b", "y": 2}\n'))
    assert rows.columns == ("prompt", "x", "y")
    assert rows.values == [{"prompt": "a", "x": 1, "y": None}, {"prompt": "b", "x": None, "y": 2}]


def test_a_limit_takes_the_first_rows_and_reads_no_further(write):
    rows = read_rows(write('{"prompt": "a"}\n{"prompt": "b"}\nbroken'), limit=2)
    assert [row["prompt"] for row in rows] == ["a", "b"]


def test_a_gzip_file_is_read(write):
    assert answers(write(gzip.compress(jsonl("a", "b").encode()), "d.jsonl.gz")) == ["a", "b"]


def test_a_cut_gzip_file_is_refused(write):
    source = write(gzip.compress(jsonl("a", "b").encode())[:-12], "d.jsonl.gz")
    with pytest.raises(SpecError, match="not a whole gzip file"):
        read_rows(source)


def test_a_two_megabyte_line_is_read(write):
    assert len(answers(write(jsonl("x" * 2_000_000)))[0]) == 2_000_000


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            "{oops",
            "2:2: not valid JSON (expecting property name enclosed in double quotes); write one JSON object a line",
        ),
        ('{"prompt": "a"} x', "2:17: not valid JSON (extra data); write one JSON object a line"),
        ("[1]", "2: a list where an object is expected; write one JSON object a line"),
        ("null", "2: null where an object is expected; write one JSON object a line"),
        ("7", "2: a number where an object is expected; write one JSON object a line"),
        ('"x"', "2: a text where an object is expected; write one JSON object a line"),
        (
            '{"prompt": "a", "prompt": "b"}',
            "2: cannot be read (key 'prompt' twice in one object); write one JSON object a line",
        ),
        ("[" * 100_000, "2: cannot be read (nested too deeply); write one JSON object a line"),
    ],
)
def test_a_broken_line_is_named(write, second, message):
    source = write('{"prompt": "a"}\n' + second + "\n")
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == f"{source}:{message}"


def test_a_list_of_objects_is_read_with_its_lines(write):
    source = write('[\n {"prompt": "a"},\n {\n  "prompt": "b"},\n {"prompt": "c"}\n]\n', "d.json")
    rows = read_rows(source)
    assert [row["prompt"] for row in rows] == ["a", "b", "c"]
    assert list(rows.lines) == [2, 3, 5]


def test_a_json_file_with_an_object_a_line_is_read(write):
    assert list(read_rows(write('{"prompt": "a"}\n{"prompt": "b"}\n', "d.json")).lines) == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[\n{"prompt": "a"}\n{"prompt": "b"}]',
            "3: not valid JSON (expected ',' or ']' after an object); mend the list",
        ),
        ('[\n{"prompt": "a"},\n7]', "3: a number where an object is expected; the list must hold objects only"),
        (
            '[{"prompt": "a"},\n{"prompt": }]',
            "2:12: not valid JSON (expecting value); the file must hold one list of objects",
        ),
        ('[{"prompt": "a"}\n]\nmore', "3: text after the end of the list; the file must hold one list of objects"),
        ('[{"prompt": "a"},', "1:18: not valid JSON (expecting value); the file must hold one list of objects"),
    ],
)
def test_a_broken_list_is_named(write, text, message):
    source = write(text, "d.json")
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == f"{source}:{message}"


@pytest.mark.parametrize(
    ("name", "content"), [("d.jsonl", ""), ("d.jsonl", "\n\n"), ("d.json", "[]"), ("d.csv", "prompt\n")]
)
def test_a_source_without_rows_is_refused(write, name, content):
    source = write(content, name)
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == f"{source}: holds no rows; name a source that has some"


def test_utf16_is_named(write):
    source = write('{"prompt": "a"}\n'.encode("utf-16"))
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == f"{source}:1: the file is UTF-16 or UTF-32, not UTF-8; save it as UTF-8"


def test_windows_1252_is_named_with_its_line(write):
    source = write('{"prompt": "a"}\n{"prompt": "é"}\n'.encode("cp1252"))
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == (
        f"{source}:2: byte 0xe9 is not UTF-8 (in Windows-1252 it would be 'é'); save the file as UTF-8"
    )


def test_an_edited_file_is_read_anew_and_has_another_digest(write):
    first = read_rows(write(jsonl("1")))
    second = read_rows(write(jsonl("2")))
    assert [first[0]["answer"], second[0]["answer"]] == ["1", "2"]
    assert first.digest != second.digest
