"""The shortest are kept, in tokens, and the bound is what an unended completion can still get."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpocli.builtin.filters.length import EXTENSION
from gpocli.contracts.filter import GroupFilter, select
from gpocli.errors import PluginError

length = GroupFilter([EXTENSION.build(EXTENSION.options())])


def test_shortest_in_tokens_are_kept_whatever_the_text():
    scores = length.score([["a" * 90, "b", "c"]], None, completion_lengths=[[2, 9, 4]])
    assert scores == [[(-2.0,), (-9.0,), (-4.0,)]]
    assert select(scores[0], 2) == [0, 2]


def test_lengths_are_counted_from_ids_when_not_given():
    assert length.score([["a", "b"]], None, completion_ids=[[[5, 6, 2], []]]) == [[(-3.0,), (0.0,)]]


def test_plain_text_and_messages_score_the_same():
    messages = [[{"role": "assistant", "content": "a"}], [{"role": "assistant", "content": "b c"}]]
    for group in (["a", "b c"], messages):
        assert length.score([group], None, completion_lengths=[[1, 2]]) == [[(-1.0,), (-2.0,)]]


def test_without_lengths_or_ids_nothing_is_guessed():
    with pytest.raises(PluginError, match=r"^filter 'Length' failed: ValueError: lengths are counted in tokens; "):
        length.score([["a", "b"]], None)


def test_group_can_race():
    assert length.can_race
    assert length.score_bound(7) == (-8.0,)


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_bound_holds_for_every_completion_that_goes_on(so_far, more):
    final = length.score([["x"]], None, completion_lengths=[[so_far + more]])[0][0]
    assert final <= length.score_bound(so_far)
