"""Help fits a terminal of 80 x 24, NO_COLOR is honoured, and light commands load nothing heavy."""

import re

import pytest
from typer.testing import CliRunner

from gpocli.cli.main import app
from tests.cli.light import HEAVY, run_each

COLOUR = re.compile(r"\x1b\[[\d;]*[34][0-7]m")
LIGHT = [
    "filters", "filters list", "filters show", "filters test", "rewards", "rewards list", "rewards show",
    "rewards test", "plugins", "plugins list", "plugins show", "plugins check", "plugins new",
]  # fmt: skip


@pytest.mark.parametrize("command", LIGHT)
def test_help_fits_a_terminal(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = CliRunner().invoke(app, [*command.split(), "--help"]).stdout.splitlines()
    assert len(shown) <= 24
    assert max(map(len, shown)) <= 80


def test_no_color_is_honoured(tmp_path):
    commands = [["filters", "list"], ["rewards", "show", "exact"], ["plugins", "list"], ["filters", "test", "length"]]
    commands.append(["--help"])
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    coloured, plain = run_each(commands, tmp_path, **terminal), run_each(commands, tmp_path, **terminal, NO_COLOR="1")
    assert any(COLOUR.search(shown.out) for shown in coloured)
    assert not any(COLOUR.search(shown.out) for shown in plain)


def test_nothing_heavy_is_loaded(tmp_path):
    texts = "filters list", "rewards show accuracy", "rewards test overlong", "filters test length"
    commands = [text.split() for text in (*texts, "plugins check builtin")]
    for command, done in zip(commands, run_each(commands, tmp_path, heavy=[*HEAVY, "pyarrow"]), strict=True):
        assert (command, done.loaded) == (command, [])
