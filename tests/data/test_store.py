"""Rows out of the way of memory come back as they were."""

import gc
import os
import pickle
import subprocess
import sys

import pytest

from gpocli.data import store
from gpocli.data.store import keep
from gpocli.errors import EnvironmentFault, SpecError

ROWS = [{"a": f"row {number}", "b": [number, None, {"c": 0.5}]} for number in range(300)]


@pytest.fixture(params=[0, 2**10, 2**30], ids=["in a file", "partly", "in memory"])
def kept(request, monkeypatch):
    monkeypatch.setattr(store, "IN_MEMORY", request.param)
    monkeypatch.setattr(store, "_BLOCK", 2**10)
    return keep(ROWS)


def test_rows_are_as_they_were_by_number_in_order_and_selected(kept):
    assert (len(kept), kept[0], kept[-1], kept == ROWS) == (300, ROWS[0], ROWS[-1], True)
    assert kept.select([7, 3, 7]) == [ROWS[7], ROWS[3], ROWS[7]]
    assert kept[298:] == ROWS[298:]
    with pytest.raises(IndexError):
        kept[300]


def test_pickled_rows_are_read_in_this_process_and_in_another(kept):
    assert pickle.loads(pickle.dumps(kept)) == ROWS
    code = "import pickle, sys; rows = pickle.load(sys.stdin.buffer); print(len(rows), rows[299]['a'])"
    told = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(kept), capture_output=True, check=True)
    assert told.stdout == b"300 row 299\n"


def test_a_row_that_is_changed_stays_what_it_was(kept):
    kept[0]["b"].append(1)
    assert kept[0] == ROWS[0]


def test_columns_that_come_up_late_are_null_before():
    rows = keep([{"a": 1}, {"b": 2, "a": 3}], ["c"])
    assert rows.columns == ("c", "a", "b")
    assert list(rows) == [{"c": None, "a": 1, "b": None}, {"c": None, "a": 3, "b": 2}]


def test_rows_that_are_equal_are_told_from_others():
    assert keep([{"a": 1}]) == keep([{"a": 1}])
    assert keep([{"a": 1}]) != keep([{"a": 2}])
    assert keep([{"a": 1}]) != [{"a": 1}, {"a": 1}]


def test_the_file_goes_with_the_rows(monkeypatch, tmp_path):
    monkeypatch.setattr(store, "IN_MEMORY", 0)
    monkeypatch.setattr(store.tempfile, "tempdir", str(tmp_path))
    gc.collect()  # what other tests have left open
    before = len(os.listdir("/proc/self/fd"))
    rows = keep(ROWS)
    assert list(tmp_path.iterdir()) == []  # it has no name
    del rows
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_no_room_for_the_file_is_one_line(monkeypatch):
    monkeypatch.setattr(store, "IN_MEMORY", 0)
    monkeypatch.setattr(store.tempfile, "tempdir", "/proc/none")
    with pytest.raises(EnvironmentFault, match=r"^cannot keep the rows in the temporary folder '/proc/none' \(No such"):
        keep(ROWS)


def test_values_that_are_no_data_are_refused_with_their_column():
    with pytest.raises(SpecError, match=r"^a value of the column 'f' is neither text, number, list nor object; leave"):
        keep([{"a": 1, "f": lambda: 1}])
