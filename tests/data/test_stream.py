"""Streamed rows: the first ones are looked at, and all of them are read again and again."""

import itertools

import pytest

from gpocli.data.rows import Part
from gpocli.data.stream import HEAD, stream
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec

PART = Part("a.jsonl", 0, "line")


def streamed(*prompts, **data):
    return stream(
        DataSpec(source="a.jsonl", **data),
        lambda: iter([(PART, (line, {"prompt": prompt})) for line, prompt in enumerate(prompts, start=1)]),
    )


def prompts_of(rows):
    return [row[0]["prompt"] for row in rows]


def test_the_head_is_a_part_of_all():
    rows = streamed(*map(str, range(HEAD + 5)))
    assert len(rows) == HEAD
    assert prompts_of(rows.read_all()) == [str(number) for number in range(HEAD + 5)]


def test_a_limit_ends_the_rows():
    rows = streamed("a", "b", "c", limit=2)
    assert (len(rows), prompts_of(rows.read_all())) == (2, ["a", "b"])


def test_rows_come_again_after_the_last():
    assert prompts_of(itertools.islice(streamed("a", "b").without_end(), 5)) == ["a", "b", "a", "b", "a"]


def test_rows_that_do_not_fit_are_left_out_each_time():
    rows = streamed("a", "bb", "c").fitting(lambda row: len(row[0]["prompt"]) == 1)
    assert prompts_of(itertools.islice(rows.without_end(), 3)) == ["a", "c", "a"]


def test_no_row_that_fits_is_an_error_rather_than_an_endless_search():
    with pytest.raises(SpecError, match=r"^a\.jsonl: no row can be used"):
        next(streamed("a").fitting(lambda row: False).without_end())


def test_a_broken_row_behind_the_head_stops_or_is_dropped():
    prompts = [*map(str, range(HEAD)), "", "last"]
    with pytest.raises(SpecError, match=rf"^a\.jsonl:{HEAD + 1}: "):
        list(streamed(*prompts).read_all())
    assert prompts_of(streamed(*prompts, bad_rows="drop").read_all())[-2:] == [str(HEAD - 1), "last"]


def test_chats_among_texts_are_refused_behind_the_head():
    prompts = [*map(str, range(HEAD)), [{"role": "user", "content": "x"}]]
    with pytest.raises(SpecError, match=rf"^a\.jsonl:{HEAD + 1}: "):
        list(streamed(*prompts).read_all())
