"""`gpo explain` as a user sees it."""

import json

import pytest

from gpocli.glossary import entries
from tests.cli.in_process import User


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def test_a_guard_is_explained_by_what_it_says_of_itself(user):
    assert user.gpo("explain", "no_signal").out == (
        "guard no_signal: all groups are flat, so nothing can be learned\n"
        "action: stop\n"
        "more: `gpo guards show no_signal`\n"
    )


def test_without_a_name_all_names_are_listed(user):
    said = user.gpo("explain")
    assert [line.split(":")[0] for line in said.out.splitlines()] == [
        "metrics", "words", "exit codes", "messages", "guards",
    ]  # fmt: skip
    assert all(name in said.out for name in entries())


def test_a_near_miss_exits_with_2(user):
    said = user.gpo("explain", "entropi")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("the glossary has no 'entropi'; did you mean 'entropy'")


def test_json_has_every_field(user):
    told = json.loads(user.gpo("explain", "exit 5", "--json").out)
    assert list(told) == [
        "name", "kind", "meaning", "of", "unit", "where", "eval", "healthy", "short", "population", "cure",
    ]  # fmt: skip
    assert (told["name"], told["kind"]) == ("exit 5", "exit code")
    listed = json.loads(user.gpo("explain", "--json").out)
    assert [one["name"] for one in listed][: len(entries())] == list(entries())
