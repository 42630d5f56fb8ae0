"""How an attempt is made is kept: versions, code, data, settings and machine."""

import json
import subprocess
import sys

import pytest

from gpocli import __version__
from gpocli.checks.preflight import check_run
from gpocli.spec.sources import SpecSources, draft_run_spec
from gpocli.training.provenance import devices, git_state, machine, provenance


def git(folder, *arguments):
    me = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *me, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-b", "trunk")
    (tmp_path / "a.txt").write_text("a")
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "commit", "-m", "a")
    return tmp_path


def test_a_folder_in_git_has_its_commit_and_whether_that_is_all(repository):
    state = git_state(repository)
    assert len(state["commit"]) == 40
    assert (state["branch"], state["is_clean"]) == ("trunk", True)
    (repository / "a.txt").write_text("b")
    git(repository, "checkout", "--detach")
    assert git_state(repository) == state | {"branch": None, "is_clean": False}


def test_a_folder_outside_of_git_has_none(tmp_path, monkeypatch, repository):
    git(repository, "init", str(tmp_path / "fresh"))
    assert git_state(tmp_path / "fresh") is None  # without a commit
    monkeypatch.setenv("PATH", "")
    assert git_state(repository) is None


def test_an_attempt_is_told_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["/bin/gpo", "train", "gfpo"])
    (tmp_path / "run.yaml").write_text("run:\n  steps: 3\n")
    (tmp_path / "mine.py").write_text("def flat(completions, **columns):\n    return [0.0 for _ in completions]\n")
    sources = SpecSources(files=[tmp_path / "run.yaml"], overrides=["rewards=[./mine.py:flat]"])
    told = provenance(check_run(draft_run_spec(sources)), processes=2, from_step=4)
    assert json.loads(json.dumps(told)) == told
    assert (told["processes"], told["from_step"], told["command"]) == (2, 4, ["gpo", "train", "gfpo"])
    assert told["versions"]["gpocli"] == __version__
    assert told["versions"].keys() == {"python", "gpocli", "torch", "transformers", "trl"}
    assert told["origins"]["run.steps"] == f"{tmp_path}/run.yaml:2:3"
    assert told["sources"].keys() == {"reward './mine.py:flat'"}
    assert (told["plugins"], told["folder"]) == ({}, str(tmp_path))


def test_a_machine_has_its_size():
    told = machine(devices("cpu"))
    assert told.keys() == {"host", "system", "cpus", "memory", "devices"}
    assert told["cpus"] >= 1
    assert told["memory"] > 2**20
    assert told["devices"] == ["cpu"]
