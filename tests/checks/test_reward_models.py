"""Reward models, as far as their files tell."""

import json

import pytest

from gpocli.checks.preflight import examine
from gpocli.spec.sources import SpecSources, draft_run_spec

CONFIG = {"architectures": ["LlamaForSequenceClassification"], "num_labels": 1, "max_position_embeddings": 4096}


@pytest.fixture
def faults(tmp_path, monkeypatch):
    """The faults of a run on the embedded task with a folder `rm` that holds these files, a line each."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rm").mkdir()

    def found(*overrides, prompt='"say a"', without=(), reward="{name: 'model:./rm'}", **config):
        (tmp_path / "a.jsonl").write_text(f'{{"prompt": {prompt}}}\n' * 4)
        for name in {"model.safetensors", "tokenizer.json"} - set(without):
            (tmp_path / "rm" / name).write_text("{}")
        (tmp_path / "rm" / "config.json").write_text(json.dumps(CONFIG | config))
        base = ("data.source=a.jsonl", f"rewards=[{reward}]", "run.steps=1", "batch.prompts_per_step=2")
        return [
            f"{one.key}: {one.text}"
            for one in examine(draft_run_spec(SpecSources(overrides=[*base, *overrides]))).faults
        ]

    return found


def test_a_sound_one(faults):
    assert faults() == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"architectures": ["LlamaForCausalLM"]}, "'./rm' gives no scores (LlamaForCausalLM)"),
        ({"num_labels": 3}, "'./rm' has 3 labels, and a reward model has one"),
        ({"without": ["tokenizer.json"]}, "'./rm' holds no tokenizer"),
        ({"without": ["model.safetensors"]}, "'./rm' holds no weights"),
        ({"reward": "{name: 'model:./none'}"}, "no such folder './none'"),
        ({"max_position_embeddings": 16}, "'./rm' takes 16 tokens, and a completion may have"),
        ({"prompt": '[{"role": "user", "content": "a"}]'}, "'./rm' has no chat template, and the prompts are messages"),
    ],
)
def test_what_is_wrong_is_told_before_the_run(faults, changes, said):
    (line,) = faults(**changes)
    assert line.startswith(f"rewards.0.name: {said}")


def test_a_template_is_enough_for_messages(faults, tmp_path):
    (tmp_path / "rm" / "chat_template.jinja").write_text("{{ messages }}")
    assert faults(prompt='[{"role": "user", "content": "a"}]') == []


@pytest.mark.parametrize(("name", "value"), [("on_error", "zero"), ("seconds", "5")])
def test_rules_of_calls_do_not_hold(faults, name, value):
    (line,) = faults(reward=f"{{name: 'model:./rm', {name}: {value}}}")
    assert line.startswith(f"rewards.0.{name}: does nothing for a reward model")


def test_a_hub_id_that_cannot_be_had(faults, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (line,) = faults(reward="{name: 'model:nobody/nothing'}")
    assert line.startswith("rewards.0.name: 'nobody/nothing' is not whole in the cache")
