"""Made-up completions hold the answers of the data, are the same every time, and cover what goes wrong."""

from gpocli.builtin.rewards.accuracy import EXTENSION as ACCURACY
from gpocli.builtin.rewards.overlong import EXTENSION as OVERLONG
from gpocli.data import ROW_KEY, gather
from gpocli.trial.made_up import LIMIT, made_up, options_for


def rows(*values):
    return gather("here", list(enumerate(values, start=1)), unit="row")


def texts(samples, kind):
    return [one.text for one in samples.candidates if one.kind == kind]


TWO = rows({"prompt": "a", "answer": "4"}, {"prompt": "b", "answer": 7})


def test_right_ones_hold_the_answer_and_wrong_ones_another():
    samples = made_up(TWO)
    assert samples.origin == "14 made-up completions of 2 rows of here"
    assert texts(samples, "gold, bare") == ["4", "7"]
    assert texts(samples, "gold, thought") == ["<think>I add them up.</think>4", "<think>I add them up.</think>7"]
    assert texts(samples, "wrong") == ["<think>I add them up.</think>7", "<think>I add them up.</think>4"]
    assert texts(samples, "empty") == ["", ""]
    assert samples == made_up(TWO)


def test_box_holds_only_the_answer_of_a_worked_solution():
    samples = made_up(rows({"prompt": "a", "answer": "1 + 1 = 2\n#### 2"}))
    assert texts(samples, "gold, boxed")[0].endswith("The answer is \\boxed{2}")


def test_another_answer_is_found_even_when_all_are_equal():
    samples = made_up(rows({"prompt": "a", "answer": "4"}, {"prompt": "b", "answer": "4"}))
    assert texts(samples, "wrong")[0].endswith("not 4")


def test_cut_ones_have_no_end_token_and_fill_the_limit():
    cut = [one for one in made_up(TWO).candidates if one.kind == "cut"]
    others = [one for one in made_up(TWO).candidates if one.kind != "cut"]
    assert {(len(one.tokens), one.finished, one.tokens[-1] == 0) for one in cut} == {(LIMIT, False, False)}
    assert all(one.finished and one.tokens[-1] == 0 and len(one.tokens) < LIMIT for one in others)


def test_gold_column_can_be_named_or_missing():
    data = rows({"prompt": "a", "answer": "4", "number": "5"})
    assert texts(made_up(data, "number"), "gold, bare") == ["5"]
    samples = made_up(rows({"prompt": "a"}))
    assert texts(samples, "42, bare") == ["42"]
    assert list(samples.notes) == ["the data has no column with answers; the completions answer 42"]


def test_rows_keep_their_number():
    assert [group.row[ROW_KEY] for group in made_up(TWO).groups] == [1, 2]


def test_limit_of_tokens_stands_in_for_that_of_a_run():
    assert options_for(OVERLONG) == {"max_tokens": LIMIT}
    assert options_for(ACCURACY) == {}
