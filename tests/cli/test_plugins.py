"""`gpo plugins list` shows what each plugin gave, where it is from and what is wrong with it."""

import json

import pytest
from typer.testing import CliRunner

from gpocli.cli.plugins import app, list_plugins
from gpocli.plugin_manager import BrokenPlugin, load_plugins


@pytest.fixture
def host():
    """The built-in plugin and one that is broken, whose name looks like markup."""
    host = load_plugins(entry_points=False)
    host.broken.append(BrokenPlugin("[red]", "gpo-red", "2.0", "RuntimeError: no [licence] (red.py:1)"))
    return host


@pytest.fixture
def run(monkeypatch, host):
    monkeypatch.setattr("gpocli.cli.plugins.load_plugins", lambda: host)

    def run(*arguments):
        result = CliRunner().invoke(app, arguments)
        assert result.exception is None
        return result.stdout

    return run


def test_table_has_a_line_for_each_plugin_and_the_reason_below(run):
    lines = [line.rstrip() for line in run("list").splitlines()]
    assert lines[0].split() == ["plugin", "distribution", "version", "filters", "rewards", "state"]
    assert lines[1].split()[:2] == ["builtin", "gpocli"]
    assert lines[1].split()[-1] == "ok"
    assert lines[-2].split() == ["[red]", "gpo-red", "2.0", "broken"]
    assert lines[-1] == "plugin '[red]' (gpo-red 2.0) is broken: RuntimeError: no [licence] (red.py:1)"


def test_json_has_everything(run):
    builtin, broken = json.loads(run("list", "--json"))
    assert builtin["name"] == "builtin"
    assert builtin["filters"][0] == "length"
    assert builtin["state"] == "ok"
    assert broken == {
        "name": "[red]",
        "distribution": "gpo-red",
        "version": "2.0",
        "file": None,
        "filters": [],
        "rewards": [],
        "state": "broken",
        "faults": ["plugin '[red]' (gpo-red 2.0) is broken: RuntimeError: no [licence] (red.py:1)"],
    }


def test_rows_are_loaded_ones_first(host):
    assert [row.state for row in list_plugins(host)] == ["ok", "broken"]


def test_names_are_never_cut(run):
    assert "adaptive_difficulty" in run("list")
