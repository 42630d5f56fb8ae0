"""The commands after a run are there, and are filled in."""

import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from gpocli.cli.main import app
from gpocli.runs.next_commands import next_commands, next_lines


def test_they_are_for_this_run():
    assert next_lines(Path("runs/a b")) == [
        "next: gpo samples 'runs/a b'",
        "      gpo report 'runs/a b'",
        "      gpo export 'runs/a b'",
    ]


def test_a_model_that_can_chat_is_chatted_with(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "chat_template.jinja").touch()
    assert next_commands(tmp_path)[2] == f"gpo chat {tmp_path} --beside base"


@pytest.mark.parametrize("command", [*next_commands(Path("run")), "gpo chat run --beside base"])
def test_a_command_is_there(command):
    _, name, path = shlex.split(command)[:3]
    assert path == "run"
    assert name in get_command(app).commands
