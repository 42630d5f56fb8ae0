"""Trackers: what must be installed, and who would be asked for a key."""

from types import SimpleNamespace

import pytest

from gpocli.checks import trackers
from gpocli.checks.trackers import check_trackers


@pytest.mark.parametrize(
    ("tracker", "installed", "line"),
    [
        ("tensorboard", {"tensorboardX"}, None),
        ("tensorboard", set(), "tensorboard is not installed; pip install tensorboard, or remove it"),
        ("azure_ml", set(), "azureml-core is not installed; pip install azureml-core, or remove it"),
        ("dagshub", {"dagshub"}, "mlflow is not installed; pip install mlflow, or remove it"),
        ("trackio", {"trackio"}, None),
    ],
)
def test_trackers_need_their_packages(monkeypatch, tracker, installed, line):
    monkeypatch.setattr(trackers, "find_spec", lambda module: object() if module in installed else None)
    assert trackers.missing_package(tracker) == line


def test_trackers_with_keys_need_one(look, monkeypatch):
    monkeypatch.setattr(trackers, "find_spec", lambda module: object())
    monkeypatch.delenv("NEPTUNE_API_TOKEN", raising=False)
    assert look("run: {trackers: [neptune]}\n") == [
        "run.yaml:1:7: run.trackers.0: neptune has no key; set NEPTUNE_API_TOKEN, or remove it"
    ]
    monkeypatch.setenv("NEPTUNE_API_TOKEN", "x")
    assert look("run: {trackers: [neptune]}\n") == []


@pytest.fixture
def wandb_is_there(monkeypatch, tmp_path):
    """wandb as installed, for a user without any key."""
    monkeypatch.setattr(trackers, "find_spec", lambda module: object())
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("WANDB_MODE", "WANDB_API_KEY", "WANDB_IDENTITY_TOKEN_FILE", "WANDB_BASE_URL", "NETRC"):
        monkeypatch.delenv(name, raising=False)


def test_wandb_without_a_key_would_ask(found_by, wandb_is_there):
    assert found_by(check_trackers, "run: {trackers: [wandb]}\n") == [
        "run.yaml:1:7: run.trackers.0: wandb has no key and would ask for one; run wandb login, set WANDB_API_KEY, or "
        "set WANDB_MODE=offline"
    ]


@pytest.mark.parametrize(("name", "value"), [("WANDB_MODE", "offline"), ("WANDB_API_KEY", "x")])
def test_wandb_is_ready_with_a_variable(found_by, wandb_is_there, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert found_by(check_trackers, "run: {trackers: [wandb]}\n") == []


@pytest.mark.parametrize(("host", "faults"), [("api.wandb.ai", 0), ("elsewhere.example", 1)])
def test_wandb_reads_the_key_of_its_own_host(found_by, wandb_is_there, tmp_path, host, faults):
    (tmp_path / ".netrc").write_text(f"machine {host} login user password x\n")
    assert len(found_by(check_trackers, "run: {trackers: [wandb]}\n")) == faults


def mlflow_in(folder, text):
    """What is installed: mlflow alone, with this among its variables."""
    (folder / "environment_variables.py").write_text(text)
    return lambda module: SimpleNamespace(submodule_search_locations=[str(folder)]) if module == "mlflow" else None


@pytest.mark.parametrize(
    ("variables", "fault"),
    [
        ({}, "mlflow writes to a database, for which sqlalchemy is not installed"),
        ({"MLFLOW_TRACKING_URI": "file:///x"}, "this mlflow writes to a folder only if it is told to"),
        ({"MLFLOW_TRACKING_URI": "mlruns"}, "this mlflow writes to a folder only if it is told to"),
        ({"MLFLOW_TRACKING_URI": "mlruns", "MLFLOW_ALLOW_FILE_STORE": "true"}, None),
        ({"MLFLOW_TRACKING_URI": "http://127.0.0.1:5000"}, None),
    ],
)
def test_mlflow_has_somewhere_to_write(found_by, monkeypatch, tmp_path, variables, fault):
    monkeypatch.setattr(trackers, "find_spec", mlflow_in(tmp_path, "MLFLOW_ALLOW_FILE_STORE = 1"))
    for name in ("MLFLOW_TRACKING_URI", "MLFLOW_ALLOW_FILE_STORE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = found_by(check_trackers, "run: {trackers: [mlflow]}\n")
    assert len(found) == (fault is not None)
    assert fault is None or fault in found[0]


def test_an_older_mlflow_takes_folders(found_by, monkeypatch, tmp_path):
    monkeypatch.setattr(trackers, "find_spec", mlflow_in(tmp_path, ""))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "mlruns")
    assert found_by(check_trackers, "run: {trackers: [mlflow]}\n") == []
