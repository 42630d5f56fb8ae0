"""An evaluation has the rewards of its run, or those that are named, and one tells what is right."""

import pytest

from gpocli.data import gather
from gpocli.errors import SpecError
from gpocli.measuring.rewards import build_rewards
from gpocli.settings.reward import RewardSpec

ROWS = gather("d", [(1, {"prompt": "a", "answer": "4"})])
OWN = [
    RewardSpec(name="length_penalty", options={"target_tokens": 3}),
    RewardSpec(name="accuracy"),
]


def test_those_of_the_run_and_accuracy_tells_what_is_right():
    built = build_rewards(OWN, (), None, 9, ROWS)
    assert built.pay.names == ["length_penalty", "accuracy"]
    assert built.right == "accuracy"


def test_a_named_one_has_the_options_of_the_run():
    built = build_rewards(OWN, ["length_penalty"], None, 9, ROWS)
    assert (built.pay.names, built.right) == (["length_penalty"], "length_penalty")
    assert built.identity[0]["options"] == {"target_tokens": 3}


def test_what_tells_right_can_be_named():
    assert build_rewards(OWN, (), "length_penalty", 9, ROWS).right == "length_penalty"
    with pytest.raises(SpecError) as refused:
        build_rewards(OWN, (), "exact", 9, ROWS)
    assert str(refused.value) == (
        "--right 'exact' is no reward of this evaluation; there are: length_penalty, accuracy"
    )


def test_a_column_that_is_missing_is_told_before_anything_loads():
    with pytest.raises(SpecError, match="reward 'accuracy' needs a column 'answer'"):
        build_rewards(OWN, (), None, 9, gather("d", [(1, {"prompt": "a"})]))
    with pytest.raises(SpecError, match="the weight 'x' is no number"):
        build_rewards(OWN, ["accuracy=x"], None, 9, ROWS)


def test_another_text_of_a_reward_s_file_makes_it_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    identities = []
    for value in (0.0, 1.0):
        (tmp_path / f"mine{value:.0f}.py").write_text(
            f"def mine(completions, **_):\n    return [{value}] * len(completions)\n"
        )
        identities.append(build_rewards([], [f"./mine{value:.0f}.py:mine"], None, 9, ROWS).identity[0]["file"])
    assert None not in identities
    assert identities[0] != identities[1]
