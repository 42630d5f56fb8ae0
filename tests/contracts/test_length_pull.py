"""Which way kept rows pull the length, by hand."""

import math

import pytest

from gpocli.contracts.length_pull import Pull, group_advantages, is_flat, length_pull

NAN = math.nan
APPROX_NAN = pytest.approx(NAN, nan_ok=True)


def test_short_right_and_long_wrong_ones_teach_to_write_less():
    assert length_pull([10, 20, 60, 70], [1.0, 1.0, -1.0, -1.0]) == Pull(pytest.approx(-0.98058, abs=1e-5), 15.0, 65.0)


def test_long_right_and_short_wrong_ones_teach_to_write_more():
    assert length_pull([70, 10], [0.5, -0.5]) == Pull(pytest.approx(1.0), 70.0, 10.0)


def test_rows_of_flat_groups_are_neither_right_nor_wrong_but_dampen_the_correlation():
    # Lengths 10, 30, 20, 60 (mean 30), advantages 1, -1, 0, 0: -20 / sqrt((400 + 0 + 100 + 900) x 2).
    pull = length_pull([10, 30, 20, 60], [1.0, -1.0, 0.0, 0.0])
    assert pull == Pull(pytest.approx(-20 / math.sqrt(1400 * 2)), 10.0, 30.0)


@pytest.mark.parametrize(
    ("lengths", "advantages"),
    [([], []), ([5], [1.0]), ([5, 5], [1.0, -1.0]), ([5, 9], [0.0, 0.0]), ([5, 9], [NAN, 1.0])],
)
def test_nothing_to_tell_a_correlation_from_is_no_number(lengths, advantages):
    assert length_pull(lengths, advantages).correlation == APPROX_NAN


def test_lengths_of_a_side_without_rows_are_no_numbers():
    assert length_pull([5, 9], [0.0, 0.0]) == Pull(APPROX_NAN, APPROX_NAN, APPROX_NAN)


def test_advantages_of_a_group_are_distances_from_its_mean_in_deviations():
    # 1, 0, 0, None: mean 1/3, deviation sqrt((4/9 + 1/9 + 1/9) / 2) = 0.57735.
    assert group_advantages([1.0, 0.0, 0.0, None]) == pytest.approx([1.1547, -0.57735, -0.57735, 0.0], abs=1e-5)


@pytest.mark.parametrize("rewards", [[], [1.0], [0.7, 0.7], [NAN, 1.0], [None, None]])
def test_flat_groups_have_no_advantages(rewards):
    assert group_advantages(rewards) == [0.0] * len(rewards)


def test_rewards_that_differ_by_rounding_are_the_same():
    assert is_flat([0.7, 0.7 + 1e-9])
    assert not is_flat([0.7, 0.7 + 1e-7])
