"""A run directory that can never be made is told before the run."""

from pathlib import Path

import pytest

from gpocli.checks.run_directory import check_run_directory, chosen_directory
from gpocli.settings.run import RunSettings


def test_a_run_directory_below_a_file_is_told(look, tmp_path):
    (tmp_path / "a").write_text("")
    assert look("run: {name: x}\n") == []
    (tmp_path / "runs").write_text("")
    assert look("run: {name: x}\n") == ["run.yaml:1:7: run.name: 'runs' is a file; name a folder"]


def test_a_file_above_the_directory_is_told_as_well(found_by, tmp_path):
    (tmp_path / "a").write_text("")
    assert found_by(check_run_directory, "run: {dir: a/b/c}\n") == [
        "run.yaml:1:7: run.dir: 'a' is a file; name a folder"
    ]


@pytest.mark.parametrize(
    ("run", "path"),
    [
        ({"dir": "out", "name": "x"}, Path("out")),
        ({"name": "x"}, Path("runs/x")),
        ({"dir": "~/out"}, Path.home() / "out"),
        ({}, None),
    ],
)
def test_the_directory_comes_before_the_name(run, path):
    assert chosen_directory(RunSettings(**run)) == path
