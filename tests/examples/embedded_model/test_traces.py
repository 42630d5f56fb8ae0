"""Worked answers: the columns, the slips, and what makes a trace long."""

import random
from itertools import islice

import pytest

from examples.embedded_model.measure import is_right
from examples.embedded_model.tokenizer import build_tokenizer
from examples.embedded_model.traces import FILLERS, Habits, add_columns, trace
from gpocli.embedded.task import Sum, sums

PLAIN = Habits(slip=0.0, filler=0.0, check=0.0, recheck=0.0)


def test_columns_are_added_from_the_right_with_carries():
    # 8+4 = 12, write 2 carry 1; 5+3+1 = 9; 9+1 = 10, write 0 carry 1: 958+134 = 1092.
    assert add_columns(Sum(958, 134), random.Random(0), slip=0.0) == (["8+4+0=12", "5+3+1=9", "9+1+0=10"], "1092")


def test_plain_trace():
    assert trace(Sum(12, 34), random.Random(0), PLAIN) == "<think>2+4+0=6\n1+3+0=4\nso 46</think>46"


def test_check_repeats_the_columns_without_slips():
    habits = Habits(slip=0.0, filler=0.0, check=1.0, recheck=0.0)
    expected = "<think>2+4+0=6\n1+3+0=4\nso 46\ncheck\n2+4+0=6\n1+3+0=4\nyes</think>46"
    assert trace(Sum(12, 34), random.Random(0), habits) == expected


def test_found_slip_leads_to_another_attempt():
    habits = Habits(slip=1.0, slip_again=1.0, filler=0.0, check=1.0, recheck=0.0, attempts=3)
    text = trace(Sum(55, 44), random.Random(0), habits)
    assert text.count("no, again") == 2
    assert text.count("so ") == 3


@pytest.mark.parametrize("seed", range(20))
def test_slip_misses_by_one_or_two(seed):
    (line,), answer = add_columns(Sum(5, 4), random.Random(seed), slip=1.0)
    assert line.startswith("5+4+0=")
    assert answer == line.removeprefix("5+4+0=")
    assert abs(int(answer) - 9) in (1, 2)


def test_first_column_can_slip_to_no_less_than_nothing():
    answers = {add_columns(Sum(0, 0), random.Random(seed), slip=1.0)[1] for seed in range(30)}
    assert answers == {"0", "1", "2"}


def test_filler_changes_only_the_length():
    wordy = trace(Sum(958, 134), random.Random(1), Habits(slip=0.0, filler=0.8, check=0.0))
    thinking, answer = wordy.removeprefix("<think>").split("</think>")
    lines = thinking.split("\n")
    assert any(line in FILLERS for line in lines)
    kept = "\n".join(line for line in lines if line not in FILLERS)
    assert f"<think>{kept}</think>{answer}" == trace(Sum(958, 134), random.Random(1), PLAIN)


def test_checked_answers_are_right_far_more_often():
    rng = random.Random(0)
    right = {True: [], False: []}
    for problem in islice(sums("train", rng), 3000):
        text = trace(problem, rng)
        right["check" in text].append(is_right(text, problem.answer))
    # Unchecked: 0.75 to the power of 2, 3 or 4 columns, evenly: (0.5625 + 0.4219 + 0.3164) / 3 = 0.434.
    assert sum(right[False]) / len(right[False]) == pytest.approx(0.434, abs=0.04)
    assert sum(right[True]) / len(right[True]) > 0.93


def test_who_gives_up_is_short_and_wrong():
    rng = random.Random(3)
    told = [trace(Sum(958, 134), rng, Habits(give_up=1.0)) for _ in range(200)]
    assert sum(text.endswith("</think>1092") for text in told) < 3
    assert max(map(len, told)) < len(trace(Sum(958, 134), rng, PLAIN))


def test_traces_end_within_the_limit_of_the_embedded_run():
    rng, tokenizer = random.Random(0), build_tokenizer()
    lengths = [len(tokenizer(trace(p, rng))["input_ids"]) for p in islice(sums("train", rng), 1000)]
    assert sum(length > 255 for length in lengths) <= 15
