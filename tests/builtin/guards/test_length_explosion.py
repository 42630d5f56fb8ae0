from gpocli.builtin.guards.length_explosion import EXTENSION
from tests.builtin.guards.showing import alarms, first


def steps(*lengths, name="completions/mean_length"):
    return [{name: length} for length in lengths]


def test_the_mean_of_the_last_steps_is_held_against_that_of_the_first():
    # (100 + 200) / 2 = 150; 8 x 150 = 1200; (1000 + 1402) / 2 = 1201
    assert first(EXTENSION, steps(100, 200, 1000, 1400), window=2) is None
    assert first(EXTENSION, steps(100, 200, 1000, 1402), window=2) == 4


def test_too_few_steps_say_nothing():
    assert first(EXTENSION, steps(1, 1000, 1000), window=2) is None


def test_the_kept_are_looked_at_where_a_filter_chooses():
    kept = [{"completions/mean_length": 9000.0 * n, "kept/mean_length": 10.0} for n in range(20)]
    assert first(EXTENSION, kept) is None


def test_it_says_how_much():
    alarm = alarms(EXTENSION, steps(10, 100), window=1)[-1]
    assert (
        alarm.text == "completions have 100 tokens on average of 1 steps, 10.0 times as many as at first, above 8 times"
    )
