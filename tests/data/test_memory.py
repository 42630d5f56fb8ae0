"""The memory that rows take does not grow with their size: what is allocated for few and for many is compared."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FEW, MANY = 1_100, 3_300
READ, LOOKED_AT = 64, 192
"""Bytes that a row may take, of 1,000 that it holds, once it is read, and while all are sorted to find repeats."""

MEASURE = """
import gc, json, sys, tracemalloc
from gpocli.data import store
store.IN_MEMORY = store._BLOCK = 2**14
from gpocli.data.load import load_rows, raw_rows
from gpocli.data.survey import survey
from gpocli.settings.data import DataSpec

def peak(work):
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    work()
    return tracemalloc.get_traced_memory()[1] - before

def peaks(path):
    data = DataSpec(source=path, columns={"answer": "meta.gold"})
    look = lambda: survey(data, lambda on_fault: raw_rows(data, on_fault), ["answer"])
    assert not look().faults  # and what is allocated once
    tracemalloc.start()
    found = peak(lambda: load_rows(data)), peak(look)
    tracemalloc.stop()
    return found

print(json.dumps([peaks(path) for path in sys.argv[1:]]))
"""


def values(count):
    return [
        {"prompt": f"{number} " + "x" * 800, "meta": {"gold": str(number), "notes": "y" * 200}}
        for number in range(count)
    ]


def write(path, rows):
    match path.suffix:
        case ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=512)
        case ".arrow":
            table = pa.Table.from_pylist(rows)
            with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
                writer.write_table(table, max_chunksize=1000)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".arrow"])
def test_memory_stays_flat_as_rows_grow_many(tmp_path, suffix):
    paths = [tmp_path / f"{count}{suffix}" for count in (FEW, MANY)]
    for path, count in zip(paths, (FEW, MANY), strict=True):
        write(path, values(count))
    done = subprocess.run([sys.executable, "-c", MEASURE, *map(str, paths)], capture_output=True, text=True, check=True)
    few, many = json.loads(done.stdout)
    read, looked_at = (more - less for less, more in zip(few, many, strict=True))
    assert read < READ * (MANY - FEW)
    assert looked_at < LOOKED_AT * (MANY - FEW)
