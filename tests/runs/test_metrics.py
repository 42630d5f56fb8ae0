"""The metrics file: strict JSON, and no step twice after a resume."""

import json
import math
import re

import numpy as np
import pytest
import torch

from gpocli.errors import EnvironmentFault
from gpocli.runs.metrics import append_metrics, kind_of, missing_lines, plain, read_metrics, rewind_metrics


def strict(line):
    def refuse(name):
        raise AssertionError(name)

    return json.loads(line, parse_constant=refuse)


def test_every_line_is_strict_json(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append_metrics(path, 1, "train", {"reward": math.nan, "loss": math.inf, "kl": None, "text": "a\u2028b\x85c"})
    append_metrics(path, 2, "eval", {"eval_reward": 0.5})
    lines = path.read_bytes().split(b"\n")
    read = [strict(line) for line in lines[:-1]]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line.pop("time")) for line in read)
    assert read == [
        {"step": 1, "kind": "train", "reward": None, "loss": None, "kl": None, "text": "a\u2028b\x85c"},
        {"step": 2, "kind": "eval", "eval_reward": 0.5},
    ]
    assert [line["step"] for line in read_metrics(path)] == [1, 2]


def test_numbers_of_any_library_become_plain():
    logs = {
        "a": np.float32(0.5),
        "b": torch.tensor(2.0),
        "c": np.int64(3),
        "d": True,
        "e": [math.nan, 1],
        "f": {"g": 1},
    }
    assert plain(logs) == {"a": 0.5, "b": 2.0, "c": 3, "d": True, "e": [None, 1], "f": {"g": 1}}
    assert [type(value) for value in plain(logs).values()] == [float, float, int, bool, list, dict]


def test_a_rewind_drops_later_lines_and_a_cut_one(tmp_path):
    path = tmp_path / "metrics.jsonl"
    for step in (1, 2, 3, 4):
        append_metrics(path, step, "train", {"loss": step})
    append_metrics(path, 3, "eval", {})
    with path.open("a") as file:
        file.write('{"step": 5, "ki')
    rewind_metrics(path, 3)
    append_metrics(path, 4, "train", {})
    assert [(line["step"], line["kind"]) for line in read_metrics(path)] == [
        (1, "train"),
        (2, "train"),
        (3, "train"),
        (3, "eval"),
        (4, "train"),
    ]


LOGGED = [
    {"step": 0, "eval_reward": 0.0},
    {"step": 1, "loss": 1.0, "reward": 0.5},
    {"step": 2, "loss": math.nan},
    {"step": 2, "eval_reward": 1.0},
    {"step": 2, "train_runtime": 1.0},
]
"""What a trainer logged: no end, which a resumed run has not come to."""


def test_what_was_logged_and_is_not_there_is_told_once():
    there = [{"step": 1, "kind": "train"}, {"step": 2, "kind": "eval"}, {"step": 3, "kind": "train"}]
    assert missing_lines(there, LOGGED) == [
        {"step": 0, "kind": "eval", "time": None, "eval_reward": 0.0},
        {"step": 2, "kind": "train", "time": None, "loss": None, "new_generation": False},
    ]
    assert [kind_of(line) for line in LOGGED] == ["eval", "train", "train", "eval", "end"]


def test_a_rewind_fills_holes_in_the_order_of_steps(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append_metrics(path, 2, "eval", {"eval_reward": 1.0})
    append_metrics(path, 3, "train", {})
    rewind_metrics(path, 2, LOGGED)
    lines = read_metrics(path)
    assert [(line["step"], line["kind"]) for line in lines] == [(0, "eval"), (1, "train"), (2, "train"), (2, "eval")]
    assert missing_lines(lines, LOGGED) == []
    path.unlink()
    rewind_metrics(path, 2, LOGGED)
    assert len(read_metrics(path)) == 4


def test_no_file_means_no_lines(tmp_path):
    rewind_metrics(tmp_path / "none", 3)
    assert read_metrics(tmp_path / "none") == []


def test_a_disk_that_refuses_is_an_environment_fault(tmp_path):
    with pytest.raises(EnvironmentFault) as error:
        append_metrics(tmp_path / "gone" / "metrics.jsonl", 1, "train", {})
    assert str(error.value) == (
        f"cannot write '{tmp_path}/gone/metrics.jsonl' (No such file or directory); mend that and go on with --resume"
    )
