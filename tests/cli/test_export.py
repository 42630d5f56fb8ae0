"""`gpo export`: what it prints, and what it refuses."""

import json

import pytest

from gpocli.runs.directory import RunDirectory
from tests.cli.conftest import COUNT_A, GFPO
from tests.cli.in_process import User


@pytest.fixture
def user(tmp_path, monkeypatch, capsys) -> User:
    return User(tmp_path, monkeypatch, capsys)


@pytest.fixture
def run(user, tiny_model):
    """A run directory with a final model."""
    import shutil

    user.write("out/spec.yaml", "algorithm: {type: grpo}\n")
    shutil.copytree(tiny_model, user.folder / "out" / "model")
    user.write("out/model/training_args.bin", "")
    return RunDirectory(user.folder / "out")


def test_a_model_is_exported_beside_the_run_unless_told_otherwise(user, run):
    said = user.gpo("export", "out")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("exported: out/export (model, 7 files, 0.0 MB)")
    assert (run.path / "export" / "model.safetensors").is_file()


def test_json_has_a_stable_shape(user, run):
    said = user.gpo("export", "out", "--to", "there", "--json")
    told = json.loads(said.out)
    assert told.pop("bytes") > 0
    assert told == {
        "format": 1,
        "run": "out",
        "checkpoint": None,
        "kind": "model",
        "to": "there",
        "url": None,
        "files": sorted(path.name for path in (user.folder / "there").iterdir()),
        "notes": [],
    }


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["none"], 2, "no run directory 'none'; check the path, or see gpo runs list"),
        (["out", "--checkpoint", "3"], 2, "'out' has no checkpoint 3; it has no checkpoint either"),
        (["out", "--merge"], 2, "'out/model' is a whole model, so there is nothing to merge; leave out --merge"),
        (["out", "--to", "out"], 2, "'out' is there already; name another folder with --to"),
        (["out", "--to", "hub:a/b/c"], 2, "'a/b/c' cannot be a hub id"),
        (["out", "--to", "hub:a/b"], 5, "HF_HUB_OFFLINE is set, so nothing can be sent"),
    ],
)
def test_what_cannot_be_done_is_one_line(user, run, arguments, code, line):
    said = user.gpo("export", *arguments)
    assert said.code == code
    assert said.err.startswith(line)
    assert said.err.count("\n") == 1


def test_public_is_for_repositories(user, run):
    said = user.gpo("export", "out", "--public")
    assert (said.code, "write --to hub:ID as well" in said.err) == (2, True)


@pytest.mark.slow
def test_run_checkpoint_and_exports_have_one_card(folder):
    """A real run with an adapter; the card after the last step is that of the model and of what is exported."""
    lora = ("--set", "model.lora={rank: 4}")
    assert folder.gpo(*GFPO, *COUNT_A, *lora).code == 0
    whole = folder.gpo("export", "out")
    assert whole.code == 0, whole.stderr
    assert folder.gpo("export", "out", "--checkpoint", 2).code == 0
    places = ("model", "checkpoints/checkpoint-2", "export", "export-2")
    cards = {(folder.path / "out" / place / "README.md").read_text() for place in places}
    assert len(cards) == 1
    card = cards.pop()
    assert "# out\n\nA LoRA adapter for `" in card
    assert "SHA-256 of data 'data.jsonl': `" in card
    assert "- Course: 2 steps: reward " in card
    assert "2508.09726" in card
    assert "2402.03300" not in card
    assert str(folder.path) not in card
    assert "/tmp" not in card
    assert folder.gpo("export", "out", "--merge", "--to", "merged").code == 0
    assert "A fine-tuned version of `" in (folder.path / "merged/README.md").read_text()
