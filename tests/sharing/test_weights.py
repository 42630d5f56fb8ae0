"""Casting weights on disk: every file, tensors of whole numbers left alone, index and config in step."""

import json

import torch
from safetensors.torch import load_file, save_file

from gpocli.sharing.weights import cast_weights


def test_each_file_is_cast_and_the_index_adds_up(tmp_path):
    for number in (1, 2):
        tensors = {f"w{number}": torch.ones(2, 3), f"n{number}": torch.arange(4)}
        save_file(tensors, tmp_path / f"model-{number}.safetensors", metadata={"format": "pt"})
    index = {"metadata": {"total_size": 1}, "weight_map": {"w1": "model-1.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    config = {"dtype": "float32", "a": 1, "text_config": {"dtype": "float32"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    cast_weights(tmp_path, "bfloat16")
    assert load_file(tmp_path / "model-1.safetensors")["w1"].dtype == torch.bfloat16
    assert load_file(tmp_path / "model-2.safetensors")["n2"].dtype == torch.int64
    # two files with 6 numbers of 2 bytes and 4 of 8
    assert json.loads((tmp_path / "model.safetensors.index.json").read_text())["metadata"]["total_size"] == 88
    assert json.loads((tmp_path / "config.json").read_text()) == {
        "dtype": "bfloat16",
        "a": 1,
        "text_config": {"dtype": "bfloat16"},
    }
