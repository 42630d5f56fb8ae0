"""The metric of the best model."""

import pytest

from gpocli.checks.best_model import FIGURES, check_best_model
from gpocli.contracts.building import NamedReward


def plain(completions, **columns):
    return []


def logs_more(completions, log_metric, **columns):
    return []


def fault(found_by, metric, *functions, beta=0):
    text = f"algorithm: {{beta: {beta}}}\ntrl: {{metric_for_best_model: {metric}}}\n"
    rewards = [NamedReward("accuracy", function) for function in functions or (plain,)]
    return [line.split(": ", 2)[2] for line in found_by(check_best_model, text, rewards)]


@pytest.mark.parametrize(
    "metric",
    ["reward", "eval_reward", "rewards/accuracy/mean", "loss", "clip_ratio/low_mean", "completions/tokens_per_right"],
)
def test_what_an_evaluation_has_passes(found_by, metric):
    assert fault(found_by, metric) == []


def test_a_misspelt_one_is_told_with_the_nearest_or_all(found_by):
    assert fault(found_by, "rewrad") == ["no evaluation has 'rewrad'; write reward"]
    (line,) = fault(found_by, "zzz")
    assert line.startswith("no evaluation has 'zzz'; there are: completions/clipped_ratio, ")
    assert "rewards/accuracy/std" in line


def test_the_divergence_is_there_with_a_reference_alone(found_by):
    assert len(fault(found_by, "kl")) == 1
    assert fault(found_by, "kl", beta=0.1) == []


def test_a_reward_that_logs_its_own_may_have_logged_it(found_by):
    assert fault(found_by, "mine", logs_more) == []


def test_a_reward_that_cannot_be_had_is_not_judged_by(found_by):
    text = "rewards: [accuracy, exact]\ntrl: {metric_for_best_model: rewards/exact/mean}\n"
    assert found_by(check_best_model, text, [NamedReward("accuracy", plain)]) == []


def test_the_figures_are_those_of_an_evaluation():
    """As `docs/metrics.md` names them, which the tests of the glossary hold to real runs."""
    from pathlib import Path

    glossary = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    missing = [name for name in FIGURES if f"`{name}`" not in glossary and f"`eval_{name}`" not in glossary]
    assert missing == []
