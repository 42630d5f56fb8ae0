from itertools import combinations, product
from math import isnan

import numpy as np
import pytest

from gpocli.evaluation.figures import (
    Answers,
    by_column,
    differences,
    estimates,
    excess_length,
    excess_length_reduction,
    figures,
    pass_at_k,
    powers_of_two,
)


def answers(right, length, cut=None):
    right = np.array(right, dtype=bool)
    cut = np.zeros_like(right) if cut is None else np.array(cut, dtype=bool)
    return Answers(right, np.array(length), cut)


TWENTY = answers(
    # 5 prompts with two right, 10 with one, 5 with none: 20 of 40 right
    right=[[1, 1]] * 5 + [[1, 0]] * 10 + [[0, 0]] * 5,
    length=[[10, 20]] * 5 + [[30, 40]] * 10 + [[50, 100]] * 5,
    cut=[[0, 0]] * 15 + [[0, 1]] * 5,
)


def test_twenty_prompts_by_hand():
    found = figures(TWENTY)
    assert found["accuracy"] == 20 / 40
    assert found["pass@1"] == 20 / 40
    assert found["pass@2"] == 15 / 20
    # 5 * 30 + 10 * 70 + 5 * 150 = 1600 tokens
    assert found["mean_length"] == 1600 / 40
    assert found["tokens_per_right"] == 1600 / 20
    # sorted: 5x10, 5x20, 10x30, 10x40, 5x50, 5x100; the 20th is 30, the 21st 40; place 35.1 of 0..39 is 100
    assert found["median_length"] == 35
    assert found["length_90"] == 100
    assert found["cut"] == 5 / 40


@pytest.mark.parametrize(("samples", "right", "k"), [(4, 0, 1), (4, 1, 2), (5, 2, 3), (6, 6, 4), (6, 3, 6), (3, 2, 2)])
def test_pass_at_k_is_the_share_of_subsets_with_a_right_one(samples, right, k):
    subsets = list(combinations([True] * right + [False] * (samples - right), k))
    assert pass_at_k(samples, right, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_k_is_a_power_of_two_up_to_the_samples():
    assert powers_of_two(1) == [1]
    assert powers_of_two(6) == [1, 2, 4]
    assert powers_of_two(8) == [1, 2, 4, 8]


def test_nothing_right_has_no_price():
    assert isnan(figures(answers([[0, 0]], [[3, 5]]))["tokens_per_right"])


def test_a_reward_counts_where_it_applies():
    nan = float("nan")
    one = Answers(
        TWENTY.right_PN, TWENTY.length_PN, TWENTY.cut_PN, {"a": np.array([[1.0, nan]] * 5 + [[2.0, 3.0]] * 15)}
    )
    # 5 * 1 + 15 * 5 over 35
    assert figures(one)["rewards/a/mean"] == 80 / 35
    assert figures(one.of(np.arange(5)))["rewards/a/mean"] == 1
    assert isnan(figures(answers([[0]], [[3]]).of(np.arange(1)))["tokens_per_right"])


def test_intervals_are_those_of_a_bootstrap_written_out():
    found = estimates(TWENTY, seed=3, times=200)["accuracy"]
    generator, means = np.random.default_rng(3), []
    per_prompt = [1.0] * 5 + [0.5] * 10 + [0.0] * 5
    for _ in range(200):
        means.append(sum(per_prompt[row] for row in generator.integers(20, size=20)) / 20)
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))


def test_the_interval_is_near_that_of_the_normal_distribution():
    found = estimates(TWENTY, seed=0, times=2000)["accuracy"]
    # variance of a prompt: 10 of 20 are 0.5 away, 10 * 0.25 / 20 = 0.125; 1.96 * sqrt(0.125 / 20) = 0.155
    assert found.low == pytest.approx(0.5 - 0.155, abs=0.03)
    assert found.high == pytest.approx(0.5 + 0.155, abs=0.03)


def test_intervals_are_those_of_all_draws_that_there_are():
    """Of three prompts with 0, 1 and 2 of 2 right there are 27 draws, to be counted one by one: no random numbers."""
    three = answers([[0, 0], [1, 0], [1, 1]], [[1, 1]] * 3)
    means = sorted(sum(draw) / 3 for draw in product([0.0, 0.5, 1.0], repeat=3))
    # 1 of 27 has a mean of 0, 3 more have one of 1/6: the twentieth part of 27 is among these
    assert (means[int(0.05 * 27)], means[-1 - int(0.05 * 27)]) == pytest.approx((1 / 6, 5 / 6))
    found = estimates(three, seed=0, times=2000, level=0.9)["accuracy"]
    assert (found.low, found.high) == pytest.approx((1 / 6, 5 / 6))


def test_one_prompt_has_no_interval():
    found = estimates(answers([[1, 0]], [[3, 5]]), seed=0)["accuracy"]
    assert (found.value, isnan(found.low), isnan(found.high)) == (0.5, True, True)


def test_a_seed_fixes_the_intervals():
    assert estimates(TWENTY, seed=1, times=50) == estimates(TWENTY, seed=1, times=50)
    assert estimates(TWENTY, seed=1, times=50) != estimates(TWENTY, seed=2, times=50)


def test_paired_differences_leave_out_what_prompts_differ_in():
    shorter = answers(TWENTY.right_PN, TWENTY.length_PN - 4, TWENTY.cut_PN)
    found = differences(shorter, TWENTY, seed=0, times=50)
    assert found["accuracy"].value == found["accuracy"].low == found["accuracy"].high == 0
    assert [found["mean_length"].low, found["mean_length"].high] == pytest.approx([-4, -4])


def test_excess_length_reduction_by_hand():
    # GRPO writes 40 more than the base model, of which the run leaves 30 away
    assert excess_length_reduction(140, 110, 100) == 0.75
    assert isnan(excess_length_reduction(100, 90, 100))


def test_excess_length_reduction_of_answers_that_differ_alike_has_no_spread():
    base = answers([[1]] * 3, [[100], [200], [300]])
    grpo, run = (answers([[1]] * 3, base.length_PN + more) for more in (40, 10))
    found = excess_length(grpo, run, base, seed=0, times=20)
    assert [found.value, found.low, found.high] == pytest.approx([0.75] * 3)


def test_a_column_parts_the_prompts():
    parts = by_column(answers([[1], [0], [1]], [[1], [2], [3]]), ["hard", "easy", "hard"])
    assert list(parts) == ["hard", "easy"]
    assert parts["hard"].length_PN.tolist() == [[1], [3]]
