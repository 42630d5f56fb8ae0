"""Standard input: rows in any format, read once."""

import gzip
import io

import pytest

from gpocli.data import looks_local, read_rows
from gpocli.data.standard_input import standard_input
from gpocli.errors import SpecError


@pytest.fixture
def pipe(monkeypatch):
    """Put bytes on standard input."""

    def pipe(data):
        standard_input.cache_clear()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    yield pipe
    standard_input.cache_clear()


@pytest.mark.parametrize(
    "data",
    [
        b'{"prompt": "a", "answer": "007"}\n',
        b'\xef\xbb\xbf[{"prompt": "a", "answer": "007"}]',
        b"prompt,answer\na,007\n",
        b"prompt\tanswer\na\t007\n",
        gzip.compress(b'{"prompt": "a", "answer": "007"}\n'),
    ],
    ids=["jsonl", "json", "csv", "tsv", "gzip"],
)
def test_rows_are_read_in_any_format(pipe, data):
    pipe(data)
    assert looks_local("-")
    assert read_rows("-").values == [{"prompt": "a", "answer": "007"}]
    assert len(read_rows("-")) == 1  # as often as a run needs them


def test_a_parquet_file_is_read(pipe):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table({"prompt": ["a"], "answer": ["007"]}), file)
    pipe(file.getvalue())
    assert read_rows("-").values == [{"prompt": "a", "answer": "007"}]


def test_a_fault_names_its_line(pipe):
    pipe(b'{"prompt": "a"}\n{"prompt": ""}\n')
    with pytest.raises(SpecError, match=r"^stdin:2: prompt is empty"):
        read_rows("-")


def test_nothing_is_refused(pipe):
    pipe(b"")
    with pytest.raises(SpecError) as error:
        read_rows("-")
    assert str(error.value) == "stdin: holds no rows; name a source that has some"


def test_a_terminal_is_refused(monkeypatch):
    standard_input.cache_clear()
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    with pytest.raises(SpecError) as error:
        read_rows("-")
    assert str(error.value) == ("'-' reads rows from standard input, which is a terminal; pipe a file into the command")
