"""TRL's own generation as an engine."""

from gpocli.trainers.engines.trl_path import as_rollout


def test_the_last_token_tells_whether_a_row_ended():
    rollout = as_rollout([[5, 1], [5, 5], [2], []], (1, 2))
    assert rollout.finished == [True, False, True, False]
    assert rollout.lost == [False] * 4


def test_the_log_probabilities_of_trl_are_handed_on():
    assert as_rollout([[1]], (1,), [[-0.5]]).logps == [[-0.5]]
