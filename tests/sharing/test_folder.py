"""Which files of a model go along, and what configs keep."""

import json

from gpocli.sharing.folder import files_to_share, is_adapter, name_base, without_places

NAMES = "model.safetensors config.json generation_config.json tokenizer.json chat_template.jinja vocab.json".split()
LEFT = "optimizer.pt scheduler.pt rng_state.pth training_args.bin trainer_state.json manifest.json README.md".split()


def test_files_that_load_a_model_go_along_and_no_others(tmp_path):
    for name in NAMES + LEFT:
        (tmp_path / name).touch()
    assert [file.name for file in files_to_share(tmp_path)] == sorted(NAMES)


def test_an_adapter_has_no_config_of_a_model(tmp_path):
    (tmp_path / "adapter_config.json").touch()
    assert is_adapter(tmp_path)
    (tmp_path / "config.json").touch()
    assert not is_adapter(tmp_path)


def test_configs_lose_the_folder_that_they_were_loaded_from():
    assert without_places({"_name_or_path": "/home/me/x", "a": 1}) == {"a": 1}
    assert without_places({"_name_or_path": "org/x"}) == {"_name_or_path": "org/x"}


def test_an_adapter_keeps_a_hub_id(tmp_path):
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "org/x", "r": 8}))
    assert name_base(tmp_path, None) == "org/x"
    assert name_base(tmp_path, "org/y") == "org/y"
    assert json.loads((tmp_path / "adapter_config.json").read_text()) == {"base_model_name_or_path": "org/y", "r": 8}
