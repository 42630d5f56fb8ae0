"""Figures read from logs in which anything may be missing."""

import math

import pytest
import torch

from gpocli.runs.step_figures import StepFigures, named_rewards, number, read_logs, show, show_seconds


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "0.5", True, [1], torch.tensor([1.0, 2.0])])
def test_what_is_no_number_is_none(value):
    assert number(value) is None


def test_numbers_of_any_library_are_numbers():
    assert number(torch.tensor(0.5)) == 0.5
    assert number(3) == 3.0


def test_a_reading_takes_the_kept_figures_first():
    logs = {"reward": 0.5, "candidates/reward": 0.4, "kept/mean_length": 10, "completions/mean_length": 20}
    assert read_logs(logs) == StepFigures(reward=0.5, reward_all=0.4, length=10, length_all=20)


def test_without_a_filter_the_length_is_that_of_all():
    assert read_logs({"completions/mean_length": 20}) == StepFigures(length=20, length_all=20)


def test_what_a_race_leaves_is_no_length():
    figures = read_logs({"kept/share": 0.5, "kept/mean_length": 10, "completions/mean_length_at_least": 12})
    assert figures == StepFigures(kept=0.5, length=10, length_bound=12)
    assert figures.is_filtered


def test_evaluation_keys_have_a_prefix():
    assert read_logs({"eval_reward": 0.5, "reward": 0.1, "eval_rewards/accuracy/mean": 0.7}, "eval_") == StepFigures(
        reward=0.5, accuracy=0.7
    )


def test_missing_null_and_nan_are_the_same():
    assert read_logs({"reward": math.nan, "loss": None}) == read_logs({}) == StepFigures()


def test_rewards_are_read_by_their_names():
    logs = {"rewards/a/mean": 0.5, "rewards/a/std": 1.0, "rewards/./mine.py:b/mean": None, "eval_rewards/a/mean": 0.7}
    assert named_rewards(logs) == {"a": 0.5, "./mine.py:b": None}
    assert named_rewards(logs, "eval_") == {"a": 0.7}


def test_what_a_loss_clips_has_one_name():
    assert read_logs({"clip_ratio/region_mean": 0.1}).clip == read_logs({"cispo_clip_ratio": 0.1}).clip == 0.1


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [(None, ".3f", "-"), (0.5, ".3f", "0.500"), (0.125, "share", "12%"), (5312.4, ",.0f", "5,312"), (0.0, ".3g", "0")],
)
def test_figures_are_shown(value, style, text):
    assert show(value, style) == text


@pytest.mark.parametrize(("seconds", "text"), [(None, "-"), (0, "0:00"), (61.4, "1:01"), (3725, "1:02:05")])
def test_time_spans_are_shown(seconds, text):
    assert show_seconds(seconds) == text
