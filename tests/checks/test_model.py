"""The model, as far as its files tell."""

import json

import pytest

from gpocli.checks import model as model_checks
from gpocli.checks.model import check_model, context_of


@pytest.fixture
def saved(tmp_path):
    """A folder `m` with the files of a saved model, as far as the checks look at them."""

    def save(*without, **config):
        (tmp_path / "m").mkdir()
        for name in {"model.safetensors", "tokenizer.json"} - set(without):
            (tmp_path / "m" / name).write_text("{}")
        (tmp_path / "m" / "config.json").write_text(json.dumps({"model_type": "llama", **config}))
        return tmp_path / "m"

    return save


NAMED = "model: {name: ./m}\n"


def test_packages_are_asked_for_by_extra(look, monkeypatch):
    monkeypatch.setattr(model_checks, "find_spec", lambda package: None)
    assert look("model: {lora: {rank: 4}, quantization: 4bit}\n") == [
        "run.yaml:1:16: model.lora: needs peft, which is not installed; pip install 'gpocli[peft]'",
        "run.yaml:1:26: model.quantization: needs bitsandbytes, which is not installed; "
        "pip install 'gpocli[quantization]'",
    ]


def test_a_saved_model_is_sound(found_by, saved):
    saved(max_position_embeddings=4096)
    assert found_by(check_model, NAMED) == []


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ("model.safetensors", "'./m' holds no weights (.safetensors or .bin); save the model there, or name another"),
        ("tokenizer.json", "'./m' holds no tokenizer; save the model's there, or name another folder"),
    ],
)
def test_what_is_missing_from_the_folder_is_told(found_by, saved, missing, text):
    saved(missing)
    (line,) = found_by(check_model, NAMED)
    assert line.startswith(f"run.yaml:1:9: model.name: {text}")


@pytest.mark.parametrize("name", ["./none", "~/none", "a/b/c", "a\\b"])
def test_a_path_is_never_taken_for_a_hub_id(found_by, name):
    (line,) = found_by(check_model, f"model: {{name: '{name}'}}\n")
    assert f"no such folder '{name}'" in line


def test_a_hub_id_is_not_looked_for(found_by):
    assert found_by(check_model, "model: {name: owner/name}\n") == []


def test_completions_leave_room_for_a_prompt(found_by, saved):
    saved(max_position_embeddings=64)
    assert found_by(check_model, NAMED + "sampling: {max_tokens: 64}\n") == [
        "run.yaml:2:12: sampling.max_tokens: 64 leaves no room for a prompt in the model's context of 64 tokens; "
        "write 32 or so"
    ]


@pytest.mark.parametrize(
    ("kind", "trusted", "faults"), [("mine", "false", 1), ("mine", "true", 0), ("llama", "false", 0)]
)
def test_a_model_with_its_own_code_must_be_trusted(found_by, saved, kind, trusted, faults):
    saved(model_type=kind, auto_map={"AutoConfig": "configuration.Mine"})
    assert len(found_by(check_model, f"model: {{name: ./m, trust_remote_code: {trusted}}}\n")) == faults


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({"max_position_embeddings": 64}, 64),
        ({"text_config": {"max_position_embeddings": 32}}, 32),
        ({"max_position_embeddings": "64"}, None),
        ({}, None),
    ],
)
def test_the_context_is_what_the_config_says(saved, config, context):
    assert context_of(saved(**config)) == context


def test_a_folder_without_a_config_has_no_known_context(tmp_path):
    assert context_of(tmp_path) is None


def test_a_hub_id_is_asked_for_only_where_all_else_is_sound(look):
    data = "model: {name: owner/never-seen}\ndata: {source: a.jsonl}\n"
    assert len(look(data)) == 1  # no such file
    with open("a.jsonl", "w") as file:
        file.write('{"prompt": "2+3=", "answer": "5"}\n' * 8)
    (line,) = look(data)
    assert line.startswith("run.yaml:1:9: model.name: 'owner/never-seen' is not whole in the cache (missing: config.js")


def test_a_run_means_its_final_model(found_by, saved, tmp_path):
    saved(max_position_embeddings=4096)
    (tmp_path / "runs" / "x").mkdir(parents=True)
    (tmp_path / "m" / "training_args.bin").touch()
    (tmp_path / "m").rename(tmp_path / "runs" / "x" / "model")
    assert found_by(check_model, "model: {name: runs/x}\n") == []
    (line,) = found_by(check_model, "model: {name: runs/x}\nsampling: {max_tokens: 4096}\n")
    assert "4096 leaves no room for a prompt in the model's context of 4096 tokens" in line


def test_a_run_without_a_model_is_told_with_what_to_name_instead(found_by, tmp_path):
    (tmp_path / "runs" / "x").mkdir(parents=True)
    (tmp_path / "runs" / "x" / "spec.yaml").write_text("{}")
    assert found_by(check_model, "model: {name: runs/x}") == [
        "run.yaml:1:9: model.name: 'runs/x' is a run that has no final model (it goes on, or ended early), and no "
        "checkpoint; go on with it: gpo train NAME --resume --out runs/x"
    ]
