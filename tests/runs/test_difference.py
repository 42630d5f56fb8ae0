"""What differs between runs is told by setting; their folders are not."""

from gpocli.runs.difference import Difference, differences
from gpocli.runs.run import Run
from tests.runs.made_run import make_run


def test_only_what_differs_is_told(tmp_path):
    first = make_run(tmp_path / "a", optim={"learning_rate": 1e-5}, run={"dir": "a", "steps": 2})
    second = make_run(tmp_path / "b", optim={"learning_rate": 1e-6}, run={"dir": "b", "steps": 2})
    assert differences([Run(first), Run(second)]) == [Difference("optim.learning_rate", [1e-5, 1e-6])]


def test_a_setting_that_only_one_has_is_told(tmp_path):
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b", algorithm={"type": "grpo", "group_size": 4})
    found = {one.setting: one.values for one in differences([Run(first), Run(second)])}
    assert found["algorithm.type"] == ["gfpo", "grpo"]
    assert found["algorithm.keep"] == [2, None]
