"""`gpo compare`, to the letter."""

import json

import pytest

from tests.cli.in_process import User
from tests.runs.made_run import candidate, make_run, record

COMPARED = """\
last tenth of the steps       a       b
steps                         2       2
reward                   0.2000  0.2000
length of the kept          8.0     8.0
length of all              18.0    18.0

b less a on 2 prompts of the last quarter (95 % interval)
  reward +0.5000 (+0.5000 to +0.5000)
  length -2.00 (-3.00 to -1.00)

setting              a      b
optim.learning_rate  1e-05  1e-06
"""


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    for name, rate, gain, lengths in (("a", 1e-5, 0.0, (5, 5)), ("b", 1e-6, 0.5, (4, 2))):
        kept = [candidate(2, group, 0, "kept", text="x" * length, reward=gain) for group, length in enumerate(lengths)]
        record(make_run(tmp_path / name, optim={"learning_rate": rate}), kept)
    return user


def test_runs_are_compared(user):
    done = user.gpo("compare", "a", "b")
    assert (done.code, done.out) == (0, COMPARED)


def test_a_comparison_is_json(user):
    told = json.loads(user.gpo("compare", "a", "b", "--json").out)
    assert list(told) == ["runs", "steps", "endings", "paired", "differences"]
    assert told["paired"] == [
        {
            "prompts": 2,
            "reward": {"value": 0.5, "low": 0.5, "high": 0.5},
            "length": {"value": -2.0, "low": -3.0, "high": -1.0},
        }
    ]
    assert told["differences"] == [{"setting": "optim.learning_rate", "values": [1e-5, 1e-6]}]


def test_too_few_prompts_are_told(user):
    make_run(user.folder / "c", optim={"learning_rate": 1e-5})
    assert "c and a share 0 prompts in the last quarter: too few to compare" in user.gpo("compare", "a", "c").out


def test_one_run_is_compared_with_nothing(user):
    done = user.gpo("compare", "a")
    assert (done.code, done.err) == (2, "runs are compared with each other; name two or more\n")
