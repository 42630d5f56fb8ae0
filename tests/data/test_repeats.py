"""Prompts that come again are told apart by what they are; numbers that stand for them only find candidates."""

import pytest

from gpocli.columns import read_path
from gpocli.data import gather
from gpocli.data.named import NamedRows
from gpocli.data.repeats import add_empty, add_repeats, add_shared, prompt_hashes

USER = [{"role": "user", "content": "a"}]


def rows_of(*prompts, name="d.jsonl", **columns):
    return gather(name, [(line, {"prompt": prompt, **columns}) for line, prompt in enumerate(prompts, start=1)])


def repeats(rows, hashes=None):
    named = NamedRows()
    add_repeats(named, rows, hashes or prompt_hashes(rows), [])
    return [(one.kind, one.places) for one in named]


def shared(train, rows, *hashes):
    named = NamedRows()
    first, second = hashes or (prompt_hashes(train), prompt_hashes(rows))
    add_shared(named, train, first, rows, second)
    return list(named)


def test_texts_and_chats_that_come_again_are_listed():
    assert repeats(rows_of("a", "b", "a", "a")) == [("repeats", ["d.jsonl:3", "d.jsonl:4"])]
    assert repeats(rows_of(USER, USER)) == [("repeats", ["d.jsonl:2"])]
    assert repeats(rows_of("a", "a ", "A")) == []


def test_different_prompts_with_one_number_are_not_taken_for_each_other():
    assert repeats(rows_of("a", "b"), [7, 7]) == []
    assert shared(rows_of("a"), rows_of("b"), [7], [7]) == []


def test_what_is_trained_on_and_evaluated_on_is_listed_with_both_places():
    (one,) = shared(rows_of("a", "b"), rows_of("c", "b", "b", name="e.jsonl"))
    assert (one.kind, one.places) == ("in_both", ["e.jsonl:2", "e.jsonl:3"])
    assert one.line == "e.jsonl:2: the prompt of d.jsonl:2, which is trained on, so that it shows no skill"


@pytest.mark.parametrize(("value", "is_empty"), [(None, True), (" ", True), ([], True), (0, False), (False, False)])
def test_nothing_and_blanks_are_empty_answers(value, is_empty):
    rows, named = rows_of("a", answer=value), NamedRows()
    add_empty(named, rows, [read_path("answer", rows.columns)])
    assert bool(list(named)) == is_empty
