"""An answer is right above a half, and a prompt that nobody can grade counts for nothing."""

import numpy as np

from gpocli.evaluation.right import judged

NAN = float("nan")


def test_above_a_half_is_right_and_what_cannot_be_graded_is_left_out():
    rewards = {"accuracy": np.array([[1.0, 0.5], [NAN, NAN], [NAN, 0.51]])}
    length = np.array([[1, 2], [3, 4], [5, 6]])
    answers, places = judged(rewards, "accuracy", length, length > 5)
    assert answers.right_PN.tolist() == [[True, False], [False, True]]
    assert answers.length_PN.tolist() == [[1, 2], [5, 6]]
    assert answers.cut_PN.tolist() == [[False, False], [False, True]]
    assert places.tolist() == [0, 2]
