"""The best checkpoint is the one that the trainer noted, while it is there."""

import json

import pytest

from gpocli.runs.best import Best, best_checkpoint

REWARD = {"trl": {"metric_for_best_model": "reward"}}


@pytest.fixture
def checkpoints(tmp_path):
    """Checkpoints 2, 4 and 6; 4 was the best when 4 and 6 were written, 2 when it was; 6 cannot be read."""
    for step, best in ((2, 2), (4, 4), (6, None)):
        folder = tmp_path / f"checkpoint-{step}"
        folder.mkdir()
        text = "{" if best is None else json.dumps({"best_global_step": best, "best_metric": best / 10})
        (folder / "trainer_state.json").write_text(text)
    return [tmp_path / f"checkpoint-{step}" for step in (2, 4, 6)]


def test_the_last_one_that_can_be_read_tells(checkpoints):
    assert best_checkpoint(checkpoints, REWARD) == Best(checkpoints[1], "reward", 0.4)
    assert best_checkpoint(checkpoints[:1], REWARD) == Best(checkpoints[0], "reward", 0.2)


def test_none_without_a_metric_an_evaluation_or_the_checkpoint(checkpoints):
    assert best_checkpoint(checkpoints, {}) is None
    assert best_checkpoint([], REWARD) is None
    (checkpoints[1] / "trainer_state.json").write_text('{"best_global_step": 3, "best_metric": 0.3}')
    assert best_checkpoint(checkpoints, REWARD) is None
    (checkpoints[1] / "trainer_state.json").write_text('{"best_global_step": null, "best_metric": null}')
    assert best_checkpoint(checkpoints[1:], REWARD) is None
