"""The facts of a card, from a spec and metrics."""

from gpocli.sharing.card import Figure
from gpocli.sharing.facts import facts_of_run, versions_here
from gpocli.spec import RunSpec

SPEC = {
    "algorithm": {"type": "gmpo", "group_size": 16, "keep": 4, "filters": ["length"]},
    "model": {"name": "org/base", "lora": {"rank": 8}},
    "data": {"source": "/home/me/train.jsonl", "eval_source": "org/test"},
    "rewards": ["accuracy", {"name": "overlong", "weight": 0.5, "options": {"buffer": 16}}],
    "run": {"eval_every": 2},
}
METRICS = [
    {"step": 1, "kind": "train", "reward": 0.25},
    {"step": 2, "kind": "train", "reward": 0.5},
    {"step": 2, "kind": "eval", "eval_rewards/accuracy/mean": 0.4, "eval_reward": 0.3},
    {"step": 3, "kind": "train", "reward": 0.75},
    {"step": 3, "kind": "end", "train_runtime": 9.0},
]


def facts(step=None, metrics=METRICS, **spec):
    sources = {"data '/home/me/train.jsonl'": "ab12"}
    return facts_of_run(
        "x", RunSpec.model_validate(SPEC | spec), metrics, sources=sources, versions={"torch": "2"}, step=step
    )


def test_the_method_and_that_of_its_filter():
    found = facts()
    assert (found.method.name, found.filtered_as.name) == ("gmpo", "gfpo")
    assert (found.group_size, found.keep, found.filters) == (16, 4, ["`length`"])
    assert facts(algorithm={"type": "gfpo"}).filtered_as is None
    assert facts(algorithm={"type": "grpo"}).filtered_as is None


def test_rewards_with_weights_and_options():
    assert facts().rewards == ["`accuracy`", "`overlong`, weight 0.5 (buffer 16)"]


def test_data_without_its_folder_but_with_its_digest():
    assert facts().data == [
        "Trained on `train.jsonl`",
        "Evaluated on [org/test](https://huggingface.co/datasets/org/test)",
        "SHA-256 of data 'train.jsonl': `ab12`",
    ]
    assert facts().datasets == ["org/test"]


def test_the_base_and_the_adapter():
    assert (facts().base, facts().base_is_public, facts().is_adapter) == ("org/base", True, True)
    assert facts(model={"name": "embedded"}).base == "the model that ships in gpo"


def test_the_last_evaluation_up_to_the_step():
    assert facts().figures == {"Evaluation after step 2": [Figure("reward", 0.3), Figure("accuracy", 0.4)]}
    assert facts(step=1).figures == {}


EVALUATION = {
    "data": {"source": "/home/me/test.jsonl"},
    "sampling": {"temperature": 0.6},
    "samples": 4,
    "graded": 1200,
    "seed": 7,
    "right": "accuracy",
    "figures": {
        "accuracy": {"value": 0.5, "low": 0.4, "high": 0.6},
        "tokens_per_right": {"value": None, "low": None, "high": None},
    },
}


def test_evaluations_afterwards_with_their_intervals_and_no_path():
    spec = RunSpec.model_validate(SPEC)
    found = facts_of_run("x", spec, METRICS, sources={}, versions={}, evaluations=[EVALUATION]).figures
    assert list(found.values())[1:] == [[Figure("accuracy", 0.5, 0.4, 0.6)]]
    assert list(found)[1] == (
        "`gpo eval` on 1,200 prompts of `test.jsonl`, 4 answers each at temperature 0.6, seed 7 (right by `accuracy`, "
        "intervals of 95 % over prompts, of the weights as the run saved them)"
    )


def test_the_course_up_to_the_step_is_the_same_before_and_after_the_end():
    assert facts(step=2).course == facts(metrics=METRICS[:2]).course
    assert facts(step=2).course[0].startswith("Course: 2 steps: reward 0.250 to 0.500")
    assert facts().course == facts(metrics=METRICS[:4]).course


def test_no_path_of_this_machine_is_in_any_fact():
    assert "/home" not in str(facts())


def test_versions_are_those_that_are_installed():
    assert {"python", "gpocli", "trl", "torch"} <= versions_here().keys()
