"""Standard input, in any format, read once; and the promise that reading data loads nothing heavy."""

import gzip
import io
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpocli.data import looks_local
from gpocli.data.read import standard_input
from gpocli.errors import SpecError
from tests.data.reading import read_rows


def test_reading_rows_loads_nothing_heavy(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"prompt": "a"}\n')
    code = (
        f"import sys; from tests.data.reading import read_rows; read_rows({str(path)!r}); "
        "print({'torch', 'transformers', 'trl', 'datasets', 'pandas', 'numpy', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


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


def as_parquet(table, file):
    pq.write_table(table, file)


def as_arrow(table, file):
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def as_stream(table, file):
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("write", [as_parquet, as_arrow, as_stream])
def test_a_table_is_read(pipe, write):
    file = io.BytesIO()
    write(pa.table({"prompt": ["a"], "answer": ["007"]}), file)
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
