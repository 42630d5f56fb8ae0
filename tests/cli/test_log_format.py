"""`gpo train --log-format`: for machines one JSON object a line, and nothing else on stdout."""

import json

import pytest

from tests.cli.conftest import GFPO, metrics

LOUD = """
import os


def loud(completions, **columns):
    print("from a reward")
    os.write(1, b"past Python\\n")
    return [float(len(text) % 2) for text in completions]
"""
JSON = ("--log-format", "json")


@pytest.fixture
def loud(folder):
    folder.write(loud_py=LOUD)
    return folder


def events(done):
    return [json.loads(line) for line in done.lines]


def test_a_run_in_json_has_nothing_else_on_stdout(loud):
    done = loud.gpo(*GFPO, "--reward", "./loud.py:loud", *JSON)
    assert done.code == 0
    told = events(done)
    assert all(isinstance(one["time"], float) for one in told)
    names = [one["event"] for one in told if one["event"] not in ("note", "activity")]
    assert names == ["start", *["step", "metrics", "sample"] * 2, "end", "saved"]
    lines = metrics(loud.path / "out")
    for one, line in zip([one for one in told if one["event"] == "metrics"], lines, strict=True):
        figures = {name: value for name, value in line.items() if name not in ("step", "kind", "time")}
        assert (one["step"], one["figures"]) == (line["step"], figures)
    assert told[-1]["path"] == "out"
    assert {"from a reward", "past Python"} <= set(done.stderr.splitlines())


def test_an_error_is_an_event_and_a_line_on_stderr(folder):
    done = folder.gpo(*GFPO, "--reward", "./mine.py:breaks_in_step_2", *JSON)
    assert done.code == 3
    last = events(done)[-1]
    assert (last["event"], last["exit_code"], last["text"]) == ("error", 3, done.stderr.rstrip("\n"))
    assert "no such judge" in last["text"]


def test_a_dry_run_has_no_steps_to_tell(folder):
    done = folder.gpo(*GFPO, "--dry-run", *JSON)
    assert (done.code, done.stdout) == (2, "")
    assert "--dry-run takes no step to show; leave out --log-format" in done.stderr
