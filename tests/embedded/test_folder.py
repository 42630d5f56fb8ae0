"""A model is named by its folder, or by the run that made it."""

import pytest

from gpocli.embedded import MODEL_PATH, is_adapter, model_folder, why_no_model


def put(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("{}")


@pytest.mark.parametrize("config", ["config.json", "adapter_config.json"])
def test_a_run_means_the_model_that_it_saved(tmp_path, config):
    put(tmp_path / "x", "spec.yaml")
    put(tmp_path / "x" / "model", config, "training_args.bin")
    assert model_folder(f"{tmp_path}/x/") == tmp_path / "x" / "model"
    assert why_no_model(f"{tmp_path}/x") is None


def test_a_folder_of_a_model_is_itself_whatever_lies_in_it(tmp_path):
    put(tmp_path, "config.json", "run.json")
    put(tmp_path / "model", "config.json", "training_args.bin")
    assert model_folder(str(tmp_path)) == tmp_path
    assert why_no_model(str(tmp_path)) is None


def test_the_embedded_model_and_a_hub_id_stay_what_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert model_folder("embedded") == MODEL_PATH
    assert model_folder("owner/name").as_posix() == "owner/name"
    assert (why_no_model("embedded"), why_no_model("owner/name")) == (None, None)


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ((), ", and no checkpoint; go on with it: gpo train NAME --resume --out {run}"),
        ((5,), "; name a checkpoint: {run}/checkpoints/checkpoint-5"),
        ((5, 20, 100), "; name a checkpoint: {run}/checkpoints/checkpoint-100 (the last of 3)"),
    ],
)
def test_a_run_whose_model_is_not_whole_names_its_whole_checkpoints(tmp_path, steps, told):
    run = tmp_path / "x"
    put(run, "run.lock")
    put(run / "model", "config.json")  # the last file of a saved model is not there yet
    put(run / "checkpoints" / "checkpoint-200", "config.json")  # nor here
    for step in steps:
        put(run / "checkpoints" / f"checkpoint-{step}", "config.json", "manifest.json")
    assert why_no_model(str(run)) == (
        f"'{run}' is a run that has no final model (it goes on, or ended early)" + told.format(run=run)
    )


def test_an_adapter_comes_without_a_config_of_a_whole_model(tmp_path):
    put(tmp_path, "adapter_config.json")
    assert is_adapter(tmp_path)
    put(tmp_path, "config.json")
    assert not is_adapter(tmp_path)
