"""Sending to a hub: by the real client in a process of its own, to a stand-in that speaks the hub's protocol."""

import json
import os
import subprocess
import sys

import pytest

from tests.sharing.hub_stand_in import environment, running_hub


@pytest.fixture
def hub():
    with running_hub() as server:
        yield server


def python(hub, tmp_path, *arguments, token="hf_right"):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | environment(hub, token, str(tmp_path / "hf")),
    )


def test_an_export_arrives_whole_in_a_private_repository(hub, whole_run, tmp_path):
    there = tmp_path / "same"
    done = python(hub, tmp_path, "-m", "gpocli", "export", whole_run.path, "--to", "hub:me/short", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["url"] == f"{hub.url}/me/short"
    local = python(hub, tmp_path, "-m", "gpocli", "export", whole_run.path, "--to", there)
    assert local.returncode == 0, local.stderr
    repository = hub.repositories["me/short"]
    assert repository.private is True
    assert repository.files == {file.name: file.read_bytes() for file in there.iterdir()}
    assert "model.safetensors" in repository.large
    assert repository.messages == ["Export of whole by gpo"]


def test_a_wrong_login_is_one_line(hub, whole_run, tmp_path):
    done = python(hub, tmp_path, "-m", "gpocli", "export", whole_run.path, "--to", "hub:me/short", token="hf_wrong")
    assert done.returncode == 5
    assert done.stderr.startswith("cannot send to 'me/short' (")
    assert done.stderr.count("\n") == 1
    assert hub.repositories == {}


def test_no_login_is_told_before_any_work(hub, whole_run, tmp_path):
    done = python(hub, tmp_path, "-m", "gpocli", "export", whole_run.path, "--to", "hub:me/short", token="")
    assert (done.returncode, done.stderr) == (5, "no login for the hub; run hf auth login, or set HF_TOKEN\n")


PUSHES = """
import sys
from datasets import Dataset
from gpocli import GFPOConfig, GFPOTrainer

trainer = GFPOTrainer(
    model=sys.argv[1],
    reward_funcs=lambda completions, **kwargs: [float(len(text)) for text in completions],
    args=GFPOConfig(
        "out", per_device_train_batch_size=4, num_generations=4, max_completion_length=4, max_steps=1, use_cpu=True,
        report_to="none", push_to_hub=True, hub_model_id="me/pushed", save_strategy="no",
    ),
    train_dataset=Dataset.from_dict({"prompt": ["say a"] * 4}),
)
trainer.train()
trainer.push_to_hub(dataset_name="me/data")
"""


@pytest.mark.slow
def test_a_trainer_pushes_its_true_card(hub, tiny_model, tmp_path):
    done = python(hub, tmp_path, "-c", PUSHES, tiny_model)
    assert done.returncode == 0, done.stderr[-2000:]
    card = hub.repositories["me/pushed"].files["README.md"].decode()
    assert card == (tmp_path / "out/README.md").read_text()
    assert "# pushed" in card
    assert '- "me/data"' in card
    assert tiny_model not in card
    assert "[None]" not in card
    assert "model.safetensors" in hub.repositories["me/pushed"].large
