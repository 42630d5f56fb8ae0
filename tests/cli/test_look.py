"""Help fits a terminal of 80 x 24, NO_COLOR is honoured, and light commands load nothing heavy."""

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gpocli.cli.main import app

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


@pytest.mark.parametrize("command", ["filters list", "rewards show exact", "plugins list", "filters test length"])
def test_no_color_is_honoured(command):
    code = "import sys; from gpocli.cli.main import main; sys.argv[1:] = sys.argv[1].split(); main()"
    shown = {}
    for name in ("NO_COLOR", "OTHER"):
        environment = {"FORCE_COLOR": "1", "TERM": "xterm-256color", name: "1", "PATH": ""}
        done = subprocess.run(
            [sys.executable, "-c", code, command], env=environment, capture_output=True, text=True, check=True
        )
        shown[name] = done.stdout
    assert not re.search(r"\x1b\[[\d;]*[34][0-7]m", shown["NO_COLOR"])


@pytest.mark.parametrize(
    "command",
    ["filters list", "rewards show accuracy", "rewards test overlong", "filters test length", "plugins check builtin"],
)
def test_nothing_heavy_is_loaded(command):
    code = (
        "import sys, atexit; from gpocli.cli.main import main; sys.argv[1:] = sys.argv[1].split()\n"
        "heavy = {'torch', 'transformers', 'trl', 'datasets', 'pandas', 'numpy', 'pyarrow'}\n"
        "atexit.register(lambda: print('heavy:', sorted(heavy & set(sys.modules))))\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code, command], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy: []"
