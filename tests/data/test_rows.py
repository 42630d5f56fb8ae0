"""Rows keep their places, in one file or several, and share their columns."""

import pytest

from gpocli.data.rows import Part, RowFault, gather, refuse

TWO_FILES = gather(
    "*.jsonl",
    [(1, {"a": 1}), (3, {"a": 2}), (12, {"a": 3})],
    parts=[Part("one.jsonl", 0, "line"), Part("two.csv", 10, "row")],
)


def test_columns_are_those_of_all_rows():
    rows = gather("x", [(1, {"b": 1}), (2, {"a": 2, "b": 3})], columns=["c"])
    assert rows.columns == ("c", "b", "a")
    assert list(rows) == [{"c": None, "b": 1, "a": None}, {"c": None, "b": 3, "a": 2}]


@pytest.mark.parametrize(("index", "place"), [(0, "one.jsonl:1"), (1, "one.jsonl:3"), (2, "two.csv: row 2")])
def test_a_row_has_its_place_in_its_own_file(index, place):
    assert TWO_FILES.place(index) == place


def test_a_selection_keeps_places_and_adds_notes():
    chosen = TWO_FILES.select([2, 0], "one was left out")
    assert [row["a"] for row in chosen] == [3, 1]
    assert [chosen.place(index) for index in (0, 1)] == ["two.csv: row 2", "one.jsonl:1"]
    assert (chosen.notes, TWO_FILES.notes) == (("one was left out",), ())


def test_a_refused_fault_is_raised_with_its_place():
    with pytest.raises(RowFault, match=r"^a\.jsonl:3: is empty$"):
        refuse(RowFault("a.jsonl:3", "is empty", "empty"))
