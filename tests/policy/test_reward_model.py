"""The scores of a reward model, beside those of TRL's own path."""

import json
import shutil

import pytest
import torch
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.policy.reward_model import load_reward_model, scorer
from tests.conftest import save_reward_model

TEXTS = (["say a", "say b:"], ["one two", "x"])
CHAT = (
    [[{"role": "user", "content": text}] for text in TEXTS[0]],
    [[{"role": "assistant", "content": text}] for text in TEXTS[1]],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(save_reward_model(tmp_path_factory.mktemp("rm")))


@pytest.fixture(scope="module")
def trl_scores(folder, tiny_model, tmp_path_factory):
    """What TRL's trainer gives for prompts and completions with the folder as its reward."""
    args = GRPOConfig(
        output_dir=str(tmp_path_factory.mktemp("out")), num_generations=2, per_device_train_batch_size=2,
        use_cpu=True, bf16=False, report_to=[],
    )  # fmt: skip
    from datasets import Dataset

    trainer = GRPOTrainer(tiny_model, folder, args, Dataset.from_list([{"prompt": "a"}] * 2))

    def scores(prompts, completions):
        rows = [{"prompt": prompt} for prompt in prompts]
        return trainer._calculate_rewards(rows, prompts, completions, [[1]] * len(prompts))[:, 0]

    return scores


@pytest.mark.parametrize("pairs", [TEXTS, CHAT], ids=["text", "chat"])
def test_the_scores_are_those_of_trl(folder, trl_scores, pairs):
    ours = scorer(folder, None, "auto")(*pairs)
    torch.testing.assert_close(torch.tensor(ours), trl_scores(*pairs), rtol=1e-5, atol=1e-6)
    assert ours[0] != ours[1]


def test_a_score_does_not_depend_on_its_company(folder):
    score = scorer(folder, None, "auto")
    together = score(["a"] * 20, ["b" * number for number in range(20)])
    assert together[3] == pytest.approx(score(["a"], ["bbb"])[0], rel=1e-5)


def test_the_type_of_the_weights(folder):
    model, _ = load_reward_model(folder, None, "bfloat16")
    assert (model.dtype, model.training) == (torch.bfloat16, False)


def changed(folder, tmp_path, **config):
    copy = tmp_path / "m"
    shutil.copytree(folder, copy)
    file = copy / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | config))
    return copy


def test_a_language_model_is_refused(folder, tmp_path):
    copy = changed(folder, tmp_path, architectures=["Qwen3ForCausalLM"])
    with pytest.raises(SpecError, match="gives no scores"):
        load_reward_model(str(copy), None, "auto")


def test_one_that_cannot_be_had_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EnvironmentFault, match="cannot load the reward model 'nobody/nothing'"):
        load_reward_model("nobody/nothing", None, "auto")


def test_messages_need_a_template(folder, tmp_path):
    copy = changed(folder, tmp_path)
    (copy / "chat_template.jinja").unlink()
    with pytest.raises(SpecError, match="has no chat template, so it cannot score messages"):
        scorer(str(copy), None, "auto")(*CHAT)


def test_the_end_token_pads_where_there_is_no_other(folder, tmp_path):
    copy = changed(folder, tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(copy)
    assert load_reward_model(str(copy), None, "auto")[1].pad_token == "<eos>"
