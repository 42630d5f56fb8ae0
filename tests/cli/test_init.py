"""`gpo init`: a starter that passes the check, never over a file that is there."""

import json

import pytest

from gpocli.spec.algorithms import algorithms
from tests.cli.in_process import User


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def test_a_starter_and_its_schema_are_written_and_pass_the_check(user):
    said = user.gpo("init")
    assert said.out.splitlines() == [
        "written: run.yaml",
        "written: gpo-spec.schema.json",
        "next: gpo check run.yaml",
    ]
    assert user.gpo("check", "run.yaml").code == 0
    first = (user.folder / "run.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=gpo-spec.schema.json"
    assert json.loads((user.folder / "gpo-spec.schema.json").read_text())["title"] == "gpo run spec"


@pytest.mark.parametrize("algorithm", algorithms())
def test_there_is_one_for_each_method(user, algorithm):
    assert user.gpo("init", "specs/mine.yml", "--algorithm", algorithm).code == 0
    run = user.gpo("check", "specs/mine.yml").out.splitlines()[0]
    assert run.startswith(f"run:       {algorithm} ")


def test_a_second_starter_beside_the_first_renews_the_schema(user):
    user.gpo("init", "a.yaml")
    user.write("gpo-spec.schema.json", '{"title": "gpo run spec", "old": 1}')
    assert user.gpo("init", "b.yaml").code == 0
    assert '"old"' not in (user.folder / "gpo-spec.schema.json").read_text()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("run.yaml", "'run.yaml' is there already; name another file"),
        ("run.toml", "'run.toml' is not YAML, which a starter is written in; write run.yaml"),
        (
            "other/run.yaml",
            "'other/gpo-spec.schema.json' is there already and not gpo's; move it, or name a file in another folder",
        ),
        ("run.yaml/a/b.yaml", "'run.yaml' is a file, not a folder; name another file"),
    ],
)
def test_what_is_in_the_way_is_left_alone(user, name, line):
    user.write("run.yaml", "mine")
    user.write("other/gpo-spec.schema.json", "mine")
    said = user.gpo("init", name)
    assert (said.code, said.err) == (2, line + "\n")
    assert (user.folder / "run.yaml").read_text() == "mine"
    assert (user.folder / "other" / "gpo-spec.schema.json").read_text() == "mine"
    assert not (user.folder / "other" / "run.yaml").exists()
