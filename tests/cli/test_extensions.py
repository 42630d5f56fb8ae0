"""What `gpo filters` and `gpo rewards` do alike."""

import json

import pytest

from gpocli.plugin_manager import load_plugins
from tests.cli.in_process import User

HOST = load_plugins(entry_points=False)
GROUPS = {"filters": HOST.filters, "rewards": HOST.rewards}


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("group", GROUPS)
def test_a_list_has_each_with_where_it_is_from(user, group):
    said = user.gpo(group, "list", "--json")
    assert {one["name"] for one in json.loads(said.out)} >= set(GROUPS[group])
    assert all(one["distribution"] == "gpocli" for one in json.loads(said.out) if one["name"] in GROUPS[group])


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, names in GROUPS.items() for name in names])
def test_each_can_be_shown(user, group, name):
    said = user.gpo(group, "show", name)
    assert (said.code, said.err) == (0, "")
    summary = GROUPS[group][name].extension.summary
    assert said.out.startswith(f"{group[:-1]} {name}: {summary}\nfrom: ")
    for option in GROUPS[group][name].extension.options.model_fields:
        assert f"\n  {option}: " in said.out


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("length", ["rewards: not needed", "races: yes", "keeps: k"]),
        ("adaptive_difficulty", ["rewards: needed", "races: no", "keeps: up to k, fewer of some groups"]),
    ],
)
def test_a_filter_tells_what_a_run_can_do_with_it(user, name, lines):
    assert user.gpo("filters", "show", name).out.splitlines()[2:5] == lines


@pytest.mark.parametrize(("group", "near"), [("filters", "lenght"), ("rewards", "acuracy")])
@pytest.mark.parametrize("command", ["show", "test"])
def test_a_name_that_is_not_there_is_answered_with_a_near_one(user, group, near, command):
    said = user.gpo(group, command, near)
    assert (said.code, said.out) == (2, "")
    assert "did you mean" in said.err


def test_more_than_the_candidates_cannot_be_kept(user):
    said = user.gpo("filters", "test", "length", "-k", 8)
    assert (said.code, said.err) == (
        2,
        "--keep 8 is more than the 7 candidates of a group; write a smaller one\n",
    )
