"""The code and data of a run, by digest."""

import hashlib

import pytest

from gpocli.checks.preflight import check_run
from gpocli.spec.sources import SpecSources, load_run_spec


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """`sources(*overrides)`: of a run in a folder with `mine.py` and `a.jsonl`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def flat(completions, **columns):\n    return [0.0 for _ in completions]\n\n\n"
        "def first(group_completions, group_rewards):\n    return [[0.0] * len(group) for group in group_completions]\n"
    )
    (tmp_path / "a.jsonl").write_text('{"prompt": "say 1"}\n' * 8)

    def sources(*overrides):
        return check_run(load_run_spec(SpecSources(overrides=overrides))).sources

    return sources


def test_what_gpo_brings_itself_is_left_out(sources):
    assert sources() == {}


def test_files_of_filters_rewards_and_data_have_their_digest(sources, tmp_path):
    found = sources(
        "data.source=a.jsonl", "rewards=[./mine.py:flat, think_format]", "algorithm.filters=[./mine.py:first]",
        "batch.prompts_per_step=2",
    )  # fmt: skip
    code, data = (hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("mine.py", "a.jsonl"))
    assert found == {"filter './mine.py:first'": code, "reward './mine.py:flat'": code, "data 'a.jsonl'": data}


def test_rows_that_are_read_while_training_are_left_out(sources):
    found = sources(
        "data.source=a.jsonl",
        "data.streaming=true",
        "rewards=[think_format]",
        "batch.prompts_per_step=2",
        "run.steps=1",
    )
    assert found == {}
