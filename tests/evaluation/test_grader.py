"""One of several rewards tells what is right."""

from gpocli.evaluation.grader import right_reward


def test_the_reward_that_tells_what_is_right():
    assert right_reward(["length_penalty", "exact", "accuracy"]) == "accuracy"
    assert right_reward(["length_penalty"]) is None
