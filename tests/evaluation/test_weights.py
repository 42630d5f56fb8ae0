"""A copy of a model is the same model, and one that was trained on is another."""

import os
import shutil

from gpocli.evaluation.weights import fingerprint


def test_a_copy_is_the_same_and_other_weights_are_not(tmp_path):
    model = tmp_path / "a"
    model.mkdir()
    (model / "config.json").write_text("{}")
    (model / "model.safetensors").write_bytes(bytes(range(256)) * 20_000)
    (model / "README.md").write_text("a card")
    first = fingerprint(model)
    copy = shutil.copytree(model, tmp_path / "b")
    os.utime(copy / "model.safetensors", (0, 0))
    (copy / "README.md").write_text("another card")
    assert fingerprint(copy) == first
    for place in (0, 5_119_999):  # the first byte and the last one
        changed = bytearray((model / "model.safetensors").read_bytes())
        changed[place] ^= 1
        (copy / "model.safetensors").write_bytes(changed)
        assert fingerprint(copy) != first
    (copy / "model.safetensors").write_bytes((model / "model.safetensors").read_bytes())
    (copy / "config.json").write_text('{"a": 1}')
    assert fingerprint(copy) != first


def test_a_hub_id_has_none(tmp_path):
    assert fingerprint(tmp_path / "owner/name") is None
