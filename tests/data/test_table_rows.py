"""Parquet and arrow files: values as Python has them, and what is said of a damaged file."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpocli.data.load import raw_rows
from gpocli.data.table_rows import read_arrow
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec
from tests.data.reading import read_rows


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


def write_stream(path, table):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def write_file(path, table):
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


KINDS = pytest.mark.parametrize("write", [write_stream, write_file])


@KINDS
def test_arrow_files_of_both_kinds_are_read(tmp_path, write):
    path = tmp_path / "d.arrow"
    write(path, pa.table({"prompt": ["a", "b", "c"], "answer": ["007", None, "9"]}))
    rows = read_rows(str(path))
    assert [(row["prompt"], row["answer"]) for row in rows] == [("a", "007"), ("b", None), ("c", "9")]
    assert rows.place(2) == f"{path}: row 3"
    assert read_rows(str(path), limit=1).values == [{"prompt": "a", "answer": "007"}]
    streamed = read_rows(str(path), streaming=True)
    assert [row[0]["prompt"] for row in streamed.read_all()] == ["a", "b", "c"]


@KINDS
def test_an_arrow_file_is_read_without_a_copy_of_it(tmp_path, write):
    path = tmp_path / "d.arrow"
    write(path, pa.table({"prompt": ["a" * 2**16] * 8}))
    before = pa.total_allocated_bytes()
    rows = read_arrow(path, "d.arrow")
    assert next(rows)[0] == 1
    assert pa.total_allocated_bytes() - before < 2**16


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "Tried reading schema message"),
        (b"hello there, this is no table", "Expected to read"),
        (b"ARROW1\0\0 and no more", "Not an Arrow file"),
    ],
)
def test_a_damaged_arrow_file_is_named(tmp_path, data, reason):
    path = tmp_path / "d.arrow"
    path.write_bytes(data)
    with pytest.raises(SpecError, match=rf"^cannot read '{path}' as arrow \({reason}.*\); write it again$"):
        read_rows(str(path))


def test_an_arrow_file_that_ends_early_is_refused(tmp_path):
    path = tmp_path / "d.arrow"
    write_stream(path, pa.table({"prompt": ["a" * 1000] * 4}))
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(SpecError, match="as arrow"):
        read_rows(str(path))


JSON = pa.json_(pa.string())


def as_json(texts):
    return pa.ExtensionArray.from_storage(JSON, pa.array(texts, pa.string()))


@pytest.mark.parametrize("suffix", ["arrow", "parquet"])
def test_columns_of_the_type_json_are_read(tmp_path, suffix):
    """The type of `datasets` for values that differ in form."""
    path = tmp_path / f"d.{suffix}"
    plain = pa.array(['{"text": 1}', "[1]"])
    table = pa.table(
        {
            "prompt": ["a", "b"],
            "meta": as_json(['{"gold": "5"}', None]),
            "many": pa.ListArray.from_arrays([0, 2, 2], as_json(["1", "[2]"])),
            "within": pa.StructArray.from_arrays([as_json(["true", None]), plain], ["json", "text"]),
            "text": plain,
        }
    )
    pq.write_table(table, path) if suffix == "parquet" else write_stream(path, table)
    rows = raw_rows(DataSpec(source=str(path)))
    assert rows.values == [
        {
            "prompt": "a",
            "meta": {"gold": "5"},
            "many": [1, [2]],
            "within": {"json": True, "text": '{"text": 1}'},
            "text": '{"text": 1}',
        },
        {"prompt": "b", "meta": None, "many": [], "within": {"json": None, "text": "[1]"}, "text": "[1]"},
    ]
