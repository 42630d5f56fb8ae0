"""Parquet files, and the promise that reading data loads nothing heavy."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpocli.data import read_rows
from gpocli.errors import SpecError


def test_values_come_as_python_values(tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"prompt": ["a", "b"], "answer": ["007", None], "n": [1, 2]}), path)
    rows = read_rows(str(path), limit=2)
    assert rows.values == [{"prompt": "a", "answer": "007", "n": 1}, {"prompt": "b", "answer": None, "n": 2}]
    assert rows.place(1) == f"{path}: row 2"


def test_messages_come_without_nulls(tmp_path):
    path = tmp_path / "d.parquet"
    prompt = [{"role": "system", "content": "s", "name": "x"}, {"role": "user", "content": "q"}]
    pq.write_table(pa.table({"prompt": [prompt]}), path)
    assert read_rows(str(path))[0]["prompt"] == prompt


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "d.parquet"
    path.write_bytes(b"hello")
    with pytest.raises(SpecError) as error:
        read_rows(str(path))
    assert str(error.value) == (
        f"cannot read '{path}' as parquet (Parquet file size is 5 bytes, smaller than the minimum file footer "
        "(8 bytes)); write it again"
    )


def test_reading_rows_loads_nothing_heavy(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"prompt": "a"}\n')
    code = (
        f"import sys; from gpocli.data import read_rows; read_rows({str(path)!r}); "
        "print({'torch', 'transformers', 'trl', 'datasets', 'pandas', 'numpy', 'pyarrow'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
