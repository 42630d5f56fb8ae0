"""The glossary of metrics names all that runs write, and runs write all that it names."""

import re
from pathlib import Path

import pytest

from gpocli.builtin.filters.length import EXTENSION
from gpocli.display.progress import Progress
from gpocli.extensions import NoOptions
from gpocli.runs.metrics import append_metrics, read_metrics
from gpocli.training.callback import ProgressLink, take_over_display
from tests.trainers.conftest import prompts

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([\w/]+)` \|.*\|([^|]*)\|$", re.MULTILINE)
OF_LINES = {"step", "kind", "time"}
NEEDS_MORE = {
    "aux_loss",  # experts
    "eval_aux_loss",
    "eval_cispo_clip_ratio",  # the runs with these losses evaluate nothing
    "eval_vespo/phi_seq_mean",
    "rewards/NAME/failed",  # rewards that may fail; tests/training/test_guards.py
    "eval_rewards/NAME/failed",
    *("accuracy/unreadable", "accuracy/unstated"),  # the reward accuracy; tests/builtin/rewards/test_accuracy.py
    *("eval_accuracy/unreadable", "eval_accuracy/unstated"),
    *(
        f"{prefix}{name}"  # these rewards; tests/builtin/rewards/test_code.py and test_judge.py
        for prefix in ("", "eval_")
        for name in (
            "code/no_code", "code/cut", "judge/requests", "judge/prompt_tokens", "judge/completion_tokens",
            "judge/cached", "judge/unreadable", "judge/failed",
        )
    ),
    "eval_completions/tokens_per_right",  # a reward that tells what is right; tests/trainers/test_figures.py
    "weights/not_finite",  # a run that dies; tests/training/test_guards.py
    *(
        f"{prefix}{name}"  # vLLM and tools, which TRL's own tests cover
        for prefix in ("", "eval_")
        for name in (
            "sampling/sampling_logp_difference/mean", "sampling/sampling_logp_difference/max",
            "sampling/importance_sampling_ratio/min", "sampling/importance_sampling_ratio/mean",
            "sampling/importance_sampling_ratio/max", "sampling/sync_difference", "sampling/stale_completions",
            "tools/call_frequency", "tools/failure_frequency",
        )
    ),
}  # fmt: skip


def named():
    """Every key that the page names, those of evaluations with their prefix."""
    rows = ROW.findall(PAGE)
    assert len(rows) == len({name for name, _ in rows})
    return {name for name, _ in rows} | {f"eval_{name}" for name, last in rows if last.strip() == "✓"}


@pytest.fixture
def written(gfpo, gmpo, tmp_path):
    """The lines of metrics files of small runs, one after the other."""

    def by_reward(group_completions, group_rewards):
        return group_rewards

    # Two updates a generation batch, of which the first is whole and the second a race.
    halves = {"steps_per_generation": 4, "max_steps": 4, "max_completion_length": 40, "num_generations": 8}
    evaluation = {
        "eval_strategy": "steps",
        "eval_steps": 2,
        "eval_dataset": prompts(3),
        "per_device_eval_batch_size": 4,
    }
    evaluation["num_generations_eval"] = 2
    loss_terms = {"beta": 0.1, "entropy_coef": 0.01}
    runs = [
        gfpo(group_filter_func=EXTENSION.build(NoOptions()), whole_every=2, **halves, **evaluation, **loss_terms),
        gfpo(group_filter_func=by_reward, max_steps=1, flat_groups="refill"),
        gmpo(max_steps=2, steps_per_generation=4, **evaluation),
        gfpo(loss_type="cispo", max_steps=1),
        gfpo(loss_type="vespo", max_steps=1),
    ]
    path = tmp_path / "metrics.jsonl"
    for trainer in runs:
        take_over_display(trainer, ProgressLink(Progress(), "", lambda *line: append_metrics(path, *line)))
        trainer.train()
    return read_metrics(path)


def test_runs_write_what_the_glossary_names_and_nothing_else(written):
    assert_lengths_or_bounds([line for line in written if "kept/share" in line])
    keys = {re.sub("rewards/[^/]+/", "rewards/NAME/", key) for line in written for key in line} - OF_LINES
    assert keys - named() == set()
    assert named() - keys == NEEDS_MORE


def assert_lengths_or_bounds(lines):
    both = [("completions/mean_length" in line, "completions/mean_length_at_least" in line) for line in lines]
    assert both[:2] == [(True, False), (False, True)]
    assert {sum(pair) for pair in both} == {1}
