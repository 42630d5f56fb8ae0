"""CSV files: every cell is the text of the file."""

import pytest

from gpocli.errors import SpecError
from tests.data.reading import read_rows

CELLS = ["NA", "None", "null", "nan", "007", "3", "3.0", "1e5", "TRUE", "2024-05-01", '"1,234"', ""]


@pytest.fixture
def write(tmp_path):
    def write(content, name="d.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


def refusal(source):
    with pytest.raises(SpecError) as error:
        read_rows(source)
    return str(error.value).removeprefix(source)


def test_cells_stay_text(write):
    rows = read_rows(write("prompt,answer\n" + "".join(f"p,{cell}\n" for cell in CELLS)))
    assert [row["answer"] for row in rows] == [cell.strip('"') for cell in CELLS]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfprompt,answer\r\na,b\r\n",
        b" prompt , answer\na,b\n",
        b"\n\nprompt,answer\na,b\n\n",
        b"prompt,answer\na,b",
    ],
)
def test_what_spreadsheets_write_is_read(write, content):
    assert read_rows(write(content)).values == [{"prompt": "a", "answer": "b"}]


def test_quoted_cells_may_hold_line_feeds_and_the_lines_still_count(write):
    rows = read_rows(write('prompt,answer\n"a\nb, ""c""",1\nd,2\n'))
    assert rows.values == [{"prompt": 'a\nb, "c"', "answer": "1"}, {"prompt": "d", "answer": "2"}]
    assert list(rows.lines) == [2, 4]


def test_other_line_separators_stay_inside_a_cell(write):
    assert read_rows(write("prompt\na\u2028b\x85c\x0cd\n"))[0]["prompt"] == "a\u2028b\x85c\x0cd"


def test_a_long_cell_is_read(write):
    assert len(read_rows(write("prompt,answer\np," + "x" * 2_000_000 + "\n"))[0]["answer"]) == 2_000_000


def test_tabs_separate_a_tsv(write):
    assert read_rows(write("prompt\tanswer\na,b\tc\n", "d.tsv")).values == [{"prompt": "a,b", "answer": "c"}]


def test_a_column_without_a_name_gets_one(write):
    assert read_rows(write(",prompt\n0,a\n")).values == [{"column_1": "0", "prompt": "a"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prompt;answer\na;b\n", ":1: the columns are separated by semicolons ('prompt;answer'); save it with commas"),
        ("prompt\tanswer\na\tb\n", ":1: the columns are separated by tabs ('prompt\tanswer'); name the file .tsv"),
        ("prompt,prompt\na,b\n", ":1: column 'prompt' is there twice; give each column its own name"),
        (
            "prompt,answer\na,b\na,b,c\n",
            ":3: 3 cells where the first line names 2 columns; quote cells that hold a comma",
        ),
        (
            'prompt,answer\na,b\n"a,b\nc,d\n',
            ':3: a cell that starts with " is never closed; close it, or write "" for a quote inside a cell',
        ),
        (
            'prompt,answer\n"a"b,c\n',
            ":2: broken quotes (',' expected after '\"'); quote the whole cell and write \"\" for a quote inside it",
        ),
        (
            "prompt,answer\ra,b\r",
            ":1: a bare carriage return ends no line; save the file with \\n or \\r\\n line ends",
        ),
    ],
)
def test_a_fault_is_named_with_its_line(write, content, message):
    assert refusal(write(content)) == message


def test_windows_1252_is_named(write):
    assert refusal(write("prompt,answer\na,b\né,c\n".encode("cp1252"))) == (
        ":3: byte 0xe9 is not UTF-8 (in Windows-1252 it would be 'é'); save the file as UTF-8"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_named(write, encoding):
    assert refusal(write("prompt,answer\na,b\n".encode(encoding))) == (
        ":1: the file is UTF-16 or UTF-32, not UTF-8; save it as UTF-8"
    )
