import pytest

from gpocli.builtin.guards.all_cut import EXTENSION
from tests.builtin.guards.showing import alarms, first


def whole(share):
    return {"completions/clipped_ratio": share}


def raced(share):
    return {"completions/clipped_ratio_at_least": share}


@pytest.mark.parametrize("bad", [whole(1.0), raced(1.0)])
def test_ten_steps_in_which_all_are_cut_are_too_many(bad):
    assert first(EXTENSION, [bad] * 10) == 10


def test_one_that_ends_is_a_way_out():
    assert first(EXTENSION, [*[whole(1.0)] * 9, whole(0.99)] * 5) is None


def test_what_a_race_does_not_tell_counts_neither_way():
    assert first(EXTENSION, [whole(0.9), *[raced(0.1)] * 19] * 10, bound=0.8) == 181
    assert first(EXTENSION, [whole(0.9), *[raced(0.1)] * 19] * 10) is None


def test_it_says_how_many():
    assert alarms(EXTENSION, [whole(1.0)], window=1)[0].text == "all completions were cut at sampling.max_tokens"
    text = alarms(EXTENSION, [raced(0.95)], window=1, bound=0.9)[0].text
    assert text == "95% of the completions were cut at sampling.max_tokens"
