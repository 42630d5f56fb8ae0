"""docs/generating.md says what is: its commands parse, its names are those of the output."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.in_process import User
from tests.cli.test_generate import KEYS

PAGE = (Path(__file__).parent.parent / "docs" / "generating.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line.partition("  #")[0])[1:]
    for line in PAGE.splitlines()
    if re.match("gpo (generate|chat) runs", line)
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_of_the_page_fails_only_for_want_of_the_model(tmp_path, monkeypatch, capsys, command):
    user = User(tmp_path, monkeypatch, capsys)
    user.write("runs/short/spec.yaml", "run: {steps: 3}\n")
    said = user.gpo(*command)
    assert said.code == 2
    assert said.err.startswith("MODEL: model.name: 'runs/short' is a run that has no final model"), said.err


def test_the_page_names_what_json_holds():
    table = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(table))) == sorted(KEYS)
