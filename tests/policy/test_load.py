"""Where a policy comes from: a folder, an adapter on one, and what is said when it cannot be had."""

import json

import pytest

from gpocli.embedded import MODEL_PATH
from gpocli.errors import EnvironmentFault, SpecError
from gpocli.policy import load
from gpocli.policy.load import cannot_load, find_policy, trainer_arguments
from gpocli.settings.model import LoraSpec, ModelSpec


def adapter(folder, base):
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": base}))
    return str(folder)


def test_a_whole_model_is_padded_on_the_left_and_has_a_context(tiny_model):
    policy = find_policy(ModelSpec(name=tiny_model))
    assert (policy.base, policy.adapter, policy.context) == (tiny_model, None, 128)
    assert (policy.tokenizer.padding_side, policy.tokenizer.truncation_side) == ("left", "left")


def test_the_embedded_model_is_a_folder():
    assert find_policy(ModelSpec()).base == str(MODEL_PATH)


def test_an_adapter_takes_tokenizer_and_context_of_its_base(tiny_model, tmp_path):
    policy = find_policy(ModelSpec(name=adapter(tmp_path / "adapter", tiny_model)))
    assert (policy.base, policy.adapter, policy.context) == (tiny_model, str(tmp_path / "adapter"), 128)
    assert policy.tokenizer.eos_token == "<eos>"


def test_a_run_is_the_adapter_that_it_saved(tiny_model, tmp_path):
    (tmp_path / "x").mkdir()
    folder = adapter(tmp_path / "x" / "model", tiny_model)
    (tmp_path / "x" / "model" / "training_args.bin").touch()
    policy = find_policy(ModelSpec(name=str(tmp_path / "x")))
    assert (policy.base, policy.adapter) == (tiny_model, folder)


def test_a_run_without_a_model_is_told(tmp_path):
    (tmp_path / "spec.yaml").touch()
    with pytest.raises(SpecError, match=f"model.name: '{tmp_path}' is a run that has no final model"):
        find_policy(ModelSpec(name=str(tmp_path)))


@pytest.mark.parametrize(
    ("base", "options", "text"),
    [
        (None, {}, "model.name: '{folder}/adapter_config.json' does not name the model that it adapts "),
        ("base", {"lora": LoraSpec()}, "model.lora: '{folder}' is an adapter already, and training goes on with it; "),
    ],
)
def test_an_adapter_that_cannot_be_gone_on_with_is_told(tmp_path, base, options, text):
    folder = adapter(tmp_path / "adapter", base)
    with pytest.raises(SpecError) as caught:
        find_policy(ModelSpec(name=folder, **options))
    assert str(caught.value).startswith(text.format(folder=folder))


def test_a_model_that_brings_code_says_how_to_allow_it():
    fault = cannot_load(ModelSpec(name="org/odd"), ValueError("pass trust_remote_code=True"))
    assert type(fault) is SpecError
    assert str(fault).endswith("read that code, then write --set model.trust_remote_code=true")


def test_a_model_that_cannot_be_loaded_says_why_on_one_line():
    fault = cannot_load(ModelSpec(name="org/odd"), OSError("no such thing.\nmore\nlines"))
    assert type(fault) is EnvironmentFault
    assert str(fault) == (
        "cannot load model 'org/odd' (no such thing); check the name and the connection, or name a folder"
    )


def test_lora_and_a_package_that_is_missing(tiny_model, monkeypatch):
    model = ModelSpec(name=tiny_model, lora=LoraSpec(rank=3, target_modules=["q_proj"]), quantization="4bit")
    policy = find_policy(model)
    monkeypatch.setattr(load.importlib.util, "find_spec", lambda package: None)
    with pytest.raises(EnvironmentFault) as caught:
        trainer_arguments(policy, model, None)
    assert str(caught.value) == (
        "this run needs bitsandbytes, which is not installed; pip install 'gpocli[quantization]'"
    )


def test_lora_is_pefts(tiny_model):
    pytest.importorskip("peft")
    model = ModelSpec(name=tiny_model, lora=LoraSpec(rank=3, target_modules=["q_proj"]))
    given = trainer_arguments(find_policy(model), model, None)
    assert given["model"] == tiny_model
    assert (given["peft_config"].r, given["peft_config"].target_modules) == (3, {"q_proj"})
