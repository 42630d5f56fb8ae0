import pytest

from gpocli.contracts.reward_model import RewardModel, reward_model_of
from gpocli.errors import SpecError
from gpocli.plugin_manager import load_plugins
from tests.conftest import save_reward_model

HOST = load_plugins(entry_points=False)


@pytest.mark.parametrize(("reference", "options"), [("model:org/scores", {}), ("model", {"path": "org/scores"})])
def test_a_model_is_named_behind_the_colon_or_as_an_option(reference, options):
    reward = HOST.build_reward(reference, options)
    assert (reward.name, reward_model_of(reward.function)) == ("model", RewardModel("org/scores"))


def test_the_other_options_stand_beside_it():
    reward = HOST.build_reward("model:./folder", {"revision": "v1", "dtype": "bfloat16"})
    assert reward_model_of(reward.function) == RewardModel("./folder", "v1", "bfloat16")


@pytest.mark.parametrize("reference", ["model", "model:"])
def test_without_a_model_it_says_how_to_name_one(reference):
    with pytest.raises(SpecError, match="model needs path; write model:FOLDER or model:HUB_ID"):
        HOST.build_reward(reference)


def test_called_by_itself_it_scores(tmp_path):
    reward = HOST.build_reward(f"model:{save_reward_model(tmp_path)}")
    first, second = reward.function(prompts=["a", "a"], completions=["b", "c"])
    assert isinstance(first, float)
    assert first != second
