"""Worked answers: the columns, the slips, and what makes a trace long."""

import random

import pytest

from gpocli.embedded.task import Sum, is_right, sums
from gpocli.embedded.traces import FILLERS, Habits, add_columns, trace

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
    habits = Habits(slip=1.0, filler=0.0, check=1.0, recheck=0.0, attempts=3)
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
    lines = wordy.removeprefix("<think>").split("\n")
    assert any(line in FILLERS for line in lines)
    kept = "\n".join(line for line in lines if line not in FILLERS)
    assert f"<think>{kept}" == trace(Sum(958, 134), random.Random(1), PLAIN)


def test_default_habits_are_right_in_about_three_of_four():
    rng = random.Random(0)
    right = [is_right(trace(p, rng), p.answer) for p, _ in zip(sums("train", rng), range(2000))]
    assert 0.70 < sum(right) / 2000 < 0.80
