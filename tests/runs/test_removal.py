"""Runs are removed whole, and never while they go on."""

import pytest

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.runs.directory import RunDirectory
from gpocli.runs.removal import remove_run
from gpocli.runs.run import Run
from tests.runs.made_run import make_run


def test_a_run_is_removed_whole(tmp_path):
    remove_run(Run(make_run(tmp_path / "a")))
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_removed_and_not_its_run(tmp_path):
    make_run(tmp_path / "a")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    remove_run(Run(tmp_path / "link"))
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_one_that_goes_on_stays(tmp_path):
    claimed = RunDirectory.open_for_resume(make_run(tmp_path / "a"))
    with pytest.raises(SpecError, match="in use by another process"):
        remove_run(Run(claimed.path))
    claimed.close()
    assert (claimed.path / "spec.yaml").exists()


def test_what_cannot_be_removed_is_told(tmp_path, monkeypatch):
    path = make_run(tmp_path / "a")
    monkeypatch.setattr("shutil.rmtree", lambda _: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    with pytest.raises(EnvironmentFault, match=r"cannot remove .* \(Permission denied\)"):
        remove_run(Run(path))
