"""A model without all of its weights is refused rather than filled up."""

import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from gpocli.errors import SpecError
from gpocli.policy.whole_weights import whole_weights


def test_missing_weights_are_named(tiny_model, tmp_path):
    folder = shutil.copytree(tiny_model, tmp_path / "torn")
    weights = load_file(Path(folder) / "model.safetensors")
    del weights["model.layers.0.mlp.up_proj.weight"]
    save_file(weights, Path(folder) / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(SpecError) as caught, whole_weights("torn"):
        AutoModelForCausalLM.from_pretrained(folder)
    assert str(caught.value) == (
        "model 'torn' lacks weights that its config asks for (model.layers.0.mlp.up_proj.weight): they would be random "
        "numbers; save the model again, or mend its config.json"
    )


def test_a_whole_model_with_tied_weights_passes(tiny_model):
    with whole_weights("whole"):
        AutoModelForCausalLM.from_pretrained(tiny_model)
