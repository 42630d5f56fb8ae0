"""Reward models, as a trainer takes them."""

import pytest
from trl import GRPOTrainer

from gpocli.checks.preflight import check_run
from gpocli.contracts.building import NamedReward
from gpocli.plugin_manager import load_plugins
from gpocli.policy.reward_model import scorer
from gpocli.spec.sources import SpecSources, load_run_spec
from gpocli.training.assemble import assemble
from gpocli.training.reward_models import with_models
from tests.conftest import save_reward_model


def test_models_are_loaded_and_functions_stay(tmp_path):
    path = save_reward_model(tmp_path)
    host = load_plugins(entry_points=False)
    rewards = [
        host.build_reward(f"model:{path}"),
        NamedReward("len", len),
        host.build_reward("model", {"path": str(path)}),
    ]
    functions, tokenizers = with_models(rewards)
    assert functions[1] is len
    assert [tokenizer and tokenizer.pad_token for tokenizer in tokenizers] == ["<pad>", None, "<pad>"]
    assert [functions[place].config.name_or_path for place in (0, 2)] == ["model", "model#2"]


def test_a_run_scores_with_the_model_by_the_path_of_trl(tiny_model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"prompt": "say a"}\n' * 4)
    save_reward_model(tmp_path / "scores")
    overrides = (
        f"model.name={tiny_model}", "data.source=a.jsonl", "run.steps=1",
        "rewards=[{name: 'model:./scores'}, repetition]",
        "batch.prompts_per_step=2", "algorithm.group_size=2", "algorithm.keep=2", "sampling.max_tokens=8",
    )  # fmt: skip
    ready = check_run(load_run_spec(SpecSources(overrides=overrides)))
    trainer = assemble(ready, tmp_path / "out", note=[].append)
    assert trainer.reward_func_names == ["model", "repetition"]
    prompts, completions = ["say a", "say b"], ["one", "two two"]
    rewards = GRPOTrainer._calculate_rewards(trainer, [{}, {}], prompts, completions, [[1], [1]])
    assert rewards[:, 0].tolist() == pytest.approx(scorer("./scores", None, "auto")(prompts, completions), rel=1e-5)
