"""Runs side by side, counted by hand."""

import pytest

from gpocli.report.comparison import Difference, Paired, compare, ending, paired
from gpocli.runs.run import Run
from tests.runs.made_run import candidate, make_run, record


def kept(step, group, text, reward):
    return candidate(step, group, 0, "kept", text=text, reward=reward)


@pytest.fixture
def two(tmp_path):
    """Four steps each; in the last one prompt 1 is 1 shorter and prompt 2 is 3 shorter, with 0.5 more reward each."""
    for name in ("a", "b"):
        make_run(tmp_path / name, steps=4, of=4)
    first = [[kept(step, 0, "x" * 9, 0.0)] for step in (1, 2, 3)]
    record(tmp_path / "a", *first, [kept(4, 0, "x" * 5, 0.0), kept(4, 1, "x" * 5, 0.5), kept(4, 2, "x", 0.0)])
    record(tmp_path / "b", *first, [kept(4, 0, "x" * 4, 0.5), kept(4, 1, "x" * 2, 1.0)])
    return [Run(tmp_path / name) for name in ("a", "b")]


def test_differences_are_of_the_same_prompts(two):
    found = paired(*two)
    assert found.prompts == 2
    assert found.reward == Difference(0.5, 0.5, 0.5)
    assert found.length == Difference(-2.0, -3.0, -1.0)  # of two prompts the interval is all there is


def test_no_shared_prompt_is_no_difference(tmp_path):
    runs = [Run(make_run(tmp_path / name)) for name in ("a", "b")]
    assert paired(*runs) == Paired(0, None, None)


def test_the_end_is_the_last_tenth():
    lines = [{"step": n, "reward": n / 20, "step_time": float(n)} for n in range(1, 21)]
    found = ending(lines)
    assert (found.reward, found.step_time, found.length) == (pytest.approx(0.975), 19.5, None)
    assert ending([]).reward is None


def test_all_are_compared_with_the_first(two):
    found = compare([*two, two[0]])
    assert (found.steps, len(found.endings), len(found.paired)) == ([4, 4, 4], 3, 2)
    assert found.paired[1].length == Difference(0.0, 0.0, 0.0)
