"""Rewards as the spec and the command line take them."""

import pytest

from gpocli.settings.reward import RewardSpec, read_rewards


def test_a_bare_name_is_a_reward():
    assert RewardSpec.model_validate("exact") == RewardSpec(name="exact", weight=1.0, options={})


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("exact", {"name": "exact"}),
        ("exact=0.5", {"name": "exact", "weight": 0.5}),
        ("./mine.py:f=-1", {"name": "./mine.py:f", "weight": -1.0}),
    ],
)
def test_a_weight_stands_behind_an_equals_sign(text, reward):
    assert read_rewards([text]) == [reward]


def test_a_weight_is_a_number():
    with pytest.raises(ValueError, match=r"^'exact=half': the weight 'half' is no number; write --reward exact=0\.5$"):
        read_rewards(["exact=half"])
