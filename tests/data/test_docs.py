"""docs/data.md shows what the commands say."""

import re
from pathlib import Path

import pytest

from tests.cli.in_process import User

TEXT = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```console\n\$ gpo (.*)\n((?:.*\n)*?)```", TEXT)


def files():
    (spec,) = re.findall(r"```yaml\n(.*?)```", TEXT, flags=re.DOTALL)
    rows = re.findall(r"`(\w+\.jsonl)` as\n\n```jsonl\n(.*?)```", TEXT, flags=re.DOTALL)
    return {"run.yaml": spec, **dict(rows)}


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_an_example_is_what_the_command_says(tmp_path, monkeypatch, capsys, command, output):
    user = User(tmp_path, monkeypatch, capsys)
    for name, text in files().items():
        user.write(name, text)
    said = user.gpo(*command.split())
    assert said.out + said.err == output


def test_there_are_examples():
    assert len(EXAMPLES) == 5


def test_every_format_is_named():
    from gpocli.data.location import READABLE

    assert all(f"`{suffix}`" in TEXT for suffix in READABLE)
