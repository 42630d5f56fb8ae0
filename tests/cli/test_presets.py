"""`gpo presets`: listed with their sources, shown, copied."""

import json

import pytest

from gpocli.presets import preset_names, preset_path
from tests.cli.in_process import User


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def test_list_names_each_with_its_source(user):
    lines = user.gpo("presets", "list").out.splitlines()
    assert lines[0].split() == ["preset", "what", "it", "is", "source"]
    assert [line.split()[0] for line in lines[1:]] == preset_names()
    assert all("arXiv 25" in line for line in lines[1:])
    listed = json.loads(user.gpo("presets", "list", "--json").out)
    assert [one["name"] for one in listed] == preset_names()
    assert next(one for one in listed if one["name"] == "gfpo-4-24")["summary"] == "GFPO 4/24: the 4 shortest of 24"


def test_show_prints_the_file(user):
    assert user.gpo("presets", "show", "gmpo-7b").out == preset_path("gmpo-7b").read_text()


def test_copy_writes_a_spec_and_never_over_one(user):
    assert user.gpo("presets", "copy", "gfpo-8-16").out == "written: gfpo-8-16.yaml\n"
    assert user.gpo("config", "show", "gfpo-8-16.yaml").code == 0
    assert user.gpo("presets", "copy", "gfpo-8-16").err == "'gfpo-8-16.yaml' is there already; name another file\n"
    assert user.gpo("presets", "copy", "gfpo-8-16", "a/mine.yaml").code == 0
    assert (user.folder / "a" / "mine.yaml").read_text() == preset_path("gfpo-8-16").read_text()


@pytest.mark.parametrize("command", ["show", "copy"])
def test_an_unknown_name_is_answered_with_the_nearest(user, command):
    said = user.gpo("presets", command, "gmpo-1b")
    assert (said.code, said.err) == (2, "unknown preset 'gmpo-1b'; did you mean 'gmpo-1.5b' or 'gmpo-7b'?\n")


def test_show_has_the_values_as_json(user):
    shown = json.loads(user.gpo("presets", "show", "gmpo-7b", "--json").out)
    assert (shown["algorithm"]["type"], shown["optim"]["learning_rate"]) == ("gmpo", 1e-6)
