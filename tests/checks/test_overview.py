"""What a run will do, in a few words."""

import pytest

from gpocli.checks.overview import overview, what_runs
from gpocli.checks.preflight import check_run
from gpocli.spec.sources import SpecSources, load_run_spec


def told(*overrides):
    return overview(check_run(load_run_spec(SpecSources(overrides=overrides))))


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["algorithm.keep=8", "algorithm.group_size=24"], "gfpo 8/24 length on embedded"),
        (["algorithm.keep=8", "algorithm.group_size=24", "algorithm.filters=[correct, length]"],
         "gfpo 8/24 correct > length on embedded"),
        (["algorithm.type=grpo", "algorithm.group_size=4"], "grpo 4 on embedded"),
    ],
)  # fmt: skip
def test_what_runs(overrides, words):
    assert what_runs(load_run_spec(SpecSources(overrides=overrides)).spec) == words


def test_rows_to_evaluate_on_are_counted_beside_the_prompts():
    assert told("data.limit=2000")["prompts"] == "2,000 of embedded"
    lines = told("data.limit=2000", "run.eval_every=1", "data.eval_limit=5")
    assert lines["prompts"] == "2,000 of embedded, 5 to evaluate on"


def test_steps_tell_what_each_costs():
    sizes = ("batch.prompts_per_step=4", "algorithm.group_size=8", "algorithm.keep=2")
    assert told(*sizes, "run.steps=1200")["steps"] == "1,200, each of 4 prompts x 8 candidates, 2 kept"
    assert told("algorithm.type=grpo", "algorithm.group_size=4", "batch.prompts_per_step=4", "run.steps=null",
                "run.epochs=1.5")["steps"] == "1.5 epochs, each of 4 prompts x 4 candidates"  # fmt: skip


def test_a_reward_shows_a_weight_that_is_not_1():
    assert told("rewards=[accuracy, {name: think_format, weight: 0.5}]")["rewards"] == "accuracy, think_format x 0.5"


def test_a_used_directory_is_told(tmp_path):
    assert told()["directory"] == "runs/gfpo-length-TIME"
    assert told(f"run.dir={tmp_path}")["directory"] == str(tmp_path)
    (tmp_path / "log").write_text("")
    assert told(f"run.dir={tmp_path}")["directory"].startswith(f"{tmp_path}, which is there already: go on with")
