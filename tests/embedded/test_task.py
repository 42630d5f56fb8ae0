"""The embedded task: its rows and its split."""

import random
import subprocess
import sys
from itertools import islice

import pytest

from gpocli.embedded.task import DIGITS, Sum, rows, sums


def question(row):
    return row["prompt"][0]["content"]


def test_first_rows_of_both_splits_are_fixed():
    assert rows("train", 2) == [
        {"prompt": [{"role": "user", "content": "876+530=?"}], "answer": "1406"},
        {"prompt": [{"role": "user", "content": "43+75=?"}], "answer": "118"},
    ]
    assert rows("eval", 2) == [
        {"prompt": [{"role": "user", "content": "588+466=?"}], "answer": "1054"},
        {"prompt": [{"role": "user", "content": "89+42=?"}], "answer": "131"},
    ]


def test_splits_share_no_sum_whatever_the_seed():
    train = {question(row) for seed in range(3) for row in rows("train", 3000, seed)}
    held_out = {question(row) for seed in range(3) for row in rows("eval", 1000, seed)}
    assert not train & held_out


def test_swapped_numbers_belong_to_the_same_split():
    assert all(p.split == Sum(p.second, p.first).split for p in islice(sums("eval", random.Random(1)), 200))


def test_about_one_sum_in_eight_is_held_out():
    pairs = [Sum(a, b) for a in range(10, 100) for b in range(10, 100)]
    # 8100 sums, 4095 of them up to order: 1/8 of these, give or take three standard errors (0.33 / sqrt(4095)).
    assert sum(p.split == "eval" for p in pairs) / len(pairs) == pytest.approx(0.125, abs=0.016)


def test_no_sum_comes_twice():
    asked = [question(row) for row in rows("train", 4096)]
    assert len(set(asked)) == 4096


def test_fewer_rows_are_the_beginning_of_more():
    assert rows("eval", 5, seed=3) == rows("eval", 50, seed=3)[:5]


def test_default_counts():
    assert len(rows("train")) == 4096
    assert len(rows("eval")) == 512


def test_seed_chooses_the_rows():
    assert rows("train", 10, seed=0) != rows("train", 10, seed=1)


def test_both_numbers_have_as_many_digits():
    for problem in islice(sums("train", random.Random(0)), 300):
        assert len(str(problem.first)) == len(str(problem.second))
        assert len(str(problem.first)) in DIGITS


def test_task_loads_no_torch():
    code = "import sys, gpocli.embedded.task; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
