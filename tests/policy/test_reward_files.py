import json

import pytest

from gpocli.policy.reward_files import why_no_reward_model
from tests.conftest import save_reward_model, save_tiny_model

HEAD = {"architectures": ["Qwen3ForSequenceClassification"]}


@pytest.mark.parametrize("config", [HEAD | {"id2label": {"0": "LABEL_0"}}, HEAD | {"num_labels": 1}])
def test_a_sound_one(config):
    assert why_no_reward_model("m", config) is None


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "'m' gives no scores (its config names no class); name a model that was saved as ...For"),
        ({"architectures": ["Qwen3ForCausalLM"]}, "'m' gives no scores (Qwen3ForCausalLM)"),
        (HEAD, "'m' has 2 labels, and a reward model has one; name a model with one label"),
        (HEAD | {"id2label": {"0": "a", "1": "b", "2": "c"}}, "'m' has 3 labels"),
    ],
)
def test_what_is_wrong(config, said):
    assert why_no_reward_model("m", config).startswith(said)


def test_what_transformers_saves(tmp_path):
    def config(save):
        return json.loads((save(tmp_path / save.__name__) / "config.json").read_text())

    assert why_no_reward_model("m", config(save_reward_model)) is None
    assert "Qwen3ForCausalLM" in why_no_reward_model("m", config(save_tiny_model))
