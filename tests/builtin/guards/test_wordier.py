import pytest

from gpocli.builtin.guards.wordier import EXTENSION
from tests.builtin.guards.showing import alarms, first


def steps(*correlations):
    return [{"kept/advantage_length_correlation": one} for one in correlations]


def test_twenty_steps_that_teach_to_write_more_are_too_many():
    assert first(EXTENSION, steps(*[0.11] * 20), filter="correct > length") == 20
    assert first(EXTENSION, steps(*[0.1] * 40), filter="correct > length") is None


def test_it_is_the_mean_of_the_last_steps_that_counts():
    # Means of 2: 0.0, 0.2, 0.0.
    assert alarms(EXTENSION, steps(-0.2, 0.2, 0.2, -0.2), window=2, filter="length")[1] is None
    assert first(EXTENSION, steps(-0.2, 0.2, 0.2, -0.2), window=2, filter="length") == 3


def test_steps_that_tell_nothing_count_neither_way():
    between = [{"new_generation": False}, {"kept/advantage_length_correlation": None}]
    assert first(EXTENSION, [*steps(0.5), *between, *steps(0.5)], window=2, filter="length") == 4


@pytest.mark.parametrize("name", ["length", "contrast", "token_efficiency", "adaptive_difficulty", "correct > length"])
def test_filters_that_are_to_shorten_are_watched(name):
    assert first(EXTENSION, steps(0.5), window=1, filter=name) == 1


@pytest.mark.parametrize("name", ["", "correct", "random", "./mine.py:length_of_words"])
def test_others_are_not(name):
    assert first(EXTENSION, steps(0.5), window=1, filter=name) is None


def test_it_says_what_to_write_instead():
    (alarm,) = alarms(EXTENSION, steps(0.17), window=1, filter="correct > length")
    assert alarm.text == (
        "what the filter 'correct > length' keeps teaches to write more, not less: "
        "kept/advantage_length_correlation is 0.17 on average of 1 steps"
    )
    assert alarm.cure == (
        "write filters: [contrast] (--filter contrast), or add the reward length_penalty, if answers are to become "
        "shorter"
    )
    (alarm,) = alarms(EXTENSION, steps(0.17), window=1, filter="contrast")
    assert alarm.cure == "add the reward length_penalty, if answers are to become shorter"
