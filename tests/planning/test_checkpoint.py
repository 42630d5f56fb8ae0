"""Parameter counts from the headers of real checkpoints, of types in the table and others."""

import json
import shutil

import pytest
import torch
import transformers

from gpocli.planning.architecture import read_architecture
from gpocli.planning.checkpoint import NoConfig, find_architecture
from gpocli.settings.model import ModelSpec
from tests.planning.real_models import IDS, MODELS, MOE, SIZES, build

torch.set_num_threads(1)
transformers.utils.logging.disable_progress_bar()

OTHERS = ["Cohere", "Falcon", "Glm4", "GptOss", "GPTNeoX", "Granite", "Nemotron", "Olmoe", "OPT", "Phi", "Starcoder2"]
"""Types that the table does not have: layers in one, parallel ones, other names, biases, fused experts."""


def find(folder):
    return find_architecture(ModelSpec(name=str(folder)))


def parameters_of(model):
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(("name", "options"), MODELS, ids=IDS)
def test_a_header_and_the_table_agree(tmp_path, name, options):
    model, config = build(name, options)
    model.save_pretrained(tmp_path)
    by_header, by_table = find(tmp_path), read_architecture(config)
    assert by_header.parameters == by_table.parameters == parameters_of(model)
    assert linear_elements(by_header) == linear_elements(by_table)


def linear_elements(architecture):
    """What quantization packs."""
    return sum(weight.numel for weight in architecture.weights if weight.is_linear)


@pytest.mark.parametrize("name", OTHERS)
def test_a_header_counts_any_architecture(tmp_path, name):
    options = {**SIZES, **(MOE if name in ("GptOss", "Olmoe") else {})}
    model = getattr(transformers, f"{name}ForCausalLM")(getattr(transformers, f"{name}Config")(**options))
    model.save_pretrained(tmp_path)
    found = find(tmp_path)
    assert (found.known, found.counted) == (False, True)
    assert found.parameters == parameters_of(model)


def test_shards_are_counted_together_and_not_in_part(tmp_path):
    model, config = build("Llama", {})
    model.save_pretrained(tmp_path, max_shard_size="4KB")
    shards = sorted(tmp_path.glob("*.safetensors"))
    assert len(shards) > 2
    (tmp_path / "consolidated.safetensors").write_bytes(b"another copy, which nothing reads")
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "newest"}))
    assert (find(tmp_path).counted, find(tmp_path).parameters) == (True, parameters_of(model))
    shards[0].unlink()  # not downloaded yet
    assert not find(tmp_path).counted


def test_packed_numbers_are_counted_by_the_config(tmp_path):
    model, config = build("Llama", {})
    model.save_pretrained(tmp_path)
    model_with_less = build("Llama", {"num_hidden_layers": 1})[0]
    model_with_less.save_pretrained(tmp_path / "packed")
    (tmp_path / "packed" / "config.json").write_text(json.dumps({**config, "quantization_config": {"bits": 4}}))
    assert find(tmp_path / "packed").parameters == parameters_of(model)


def test_the_type_of_the_weights_is_the_configs_or_else_the_headers(tmp_path):
    model, config = build("Llama", {})
    model.to(torch.bfloat16).save_pretrained(tmp_path)
    assert find(tmp_path).dtype == "bfloat16"
    config.pop("dtype", None)
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert find(tmp_path).dtype == "bfloat16"
    (tmp_path / "config.json").write_text(json.dumps({**config, "torch_dtype": "float16"}))
    assert find(tmp_path).dtype == "float16"


def test_a_header_that_is_cut_short_is_told(tmp_path, tiny_model):
    file = shutil.copytree(tiny_model, tmp_path / "model") / "model.safetensors"
    file.write_bytes((30).to_bytes(8, "little") + b"{")
    with pytest.raises(NoConfig) as caught:
        find(file.parent)
    assert str(caught.value) == (
        f"'{file}' cannot be read (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)); "
        "save the model again"
    )


def test_weights_that_are_not_there_yet_leave_the_table(tmp_path, tiny_model):
    file = shutil.copytree(tiny_model, tmp_path / "model") / "model.safetensors"
    parameters = find(file.parent).parameters
    file.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n")
    assert find(file.parent).parameters == parameters
    file.unlink()
    assert find(file.parent).parameters == parameters


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "{",
            "cannot be read (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)); "
            "save the model again",
        ),
        ("[]", "holds no settings; save the model again"),
    ],
)
def test_a_broken_config_is_told(tmp_path, text, reason):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(NoConfig) as caught:
        find(tmp_path)
    assert str(caught.value) == f"'{tmp_path / 'config.json'}' {reason}"


def test_a_model_that_is_no_decoder_is_told(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(NoConfig) as caught:
        find(tmp_path)
    assert str(caught.value) == (
        f"model '{tmp_path}' is not one that can be counted: its config.json has no hidden_size"
    )
