"""The page about runs: its commands work as written, its code runs, and JSON has the keys that it names."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.in_process import User
from tests.runs.made_run import candidate, four, make_run, record

PAGE = (Path(__file__).parents[1] / "docs" / "runs.md").read_text(encoding="utf-8")
COMMANDS = [line.split("#")[0].strip() for line in PAGE.splitlines() if line.startswith("gpo ")]


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    user.write("data.jsonl", '{"prompt": "1+1", "answer": "2"}\n{"prompt": "2+2", "answer": "4"}\n')
    for name in ("a", "b"):
        low = [candidate(2, 1, n, "kept", reward=0.0) for n in range(3)]
        record(make_run(user.folder / "runs" / name, optim={"learning_rate": 1e-6}), four(1, 0), four(2, 0) + low)
    return user


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_works(user, command):
    done = user.gpo(*command.split()[1:])
    assert (done.code, done.err) == (0, "")
    assert "no such" not in done.out


def test_the_code_runs(user):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(code, {})


@pytest.mark.parametrize(
    "command",
    [
        "runs list",
        "runs show runs/a",
        "runs diff runs/a runs/b",
        "samples runs/a",
        "replay runs/a",
        "compare runs/a runs/b",
    ],
)
def test_keys_of_json_are_named(user, command):
    told = json.loads(user.gpo(*command.split(), "--json").out)
    assert [key for key in sorted(_keys(told)) if f"`{key}`" not in PAGE] == []


def _keys(value):
    """The keys of what a command prints, but for those of what another page documents."""
    if isinstance(value, list):
        return {key for item in value for key in _keys(item)}
    if not isinstance(value, dict):
        return set()
    inner = {key: item for key, item in value.items() if key not in ("summary", "manifest", "rewards", "values")}
    return {*value, *(key for item in inner.values() for key in _keys(item))}
