"""The same evaluation has the same folder, and anything else another; two models are asked the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from gpocli.asking.source import find_asked
from gpocli.measuring.plan import beside, make_plan
from gpocli.measuring.prompts import Wanted
from tests.measuring.made_up import plan_of, write_data
from tests.measuring.runs import make_run


@pytest.fixture
def run(tmp_path):
    return make_run(
        tmp_path / "x", data={"source": "embedded", "system": "Add."}, sampling={"temperature": 0.5, "max_tokens": 64}
    )


def planned(model, *, rewards=(), right=None, samples=2, seed=0, limit=3):
    return make_plan(find_asked(model), Wanted(limit=limit), rewards, right, samples=samples, seed=seed)


def test_a_run_s_evaluations_lie_with_it_and_others_here(run, tmp_path):
    final, checkpoint = planned(run), planned(f"{run}/checkpoints/checkpoint-5")
    assert (final.step, checkpoint.step) == (None, 5)
    assert final.folder().parent == checkpoint.folder().parent == Path(run) / "evaluations"
    assert final.folder().name.startswith("final-embedded-")
    assert checkpoint.folder().name.startswith("checkpoint-5-embedded-")
    assert planned("embedded").folder().parent == Path("evaluations")
    assert planned("embedded").folder(tmp_path).parent == tmp_path


def test_the_final_model_is_one_however_it_is_named(run):
    assert planned(run).folder() == planned(f"{run}/model").folder()


def test_anything_else_is_another_evaluation(run):
    plan = planned("embedded")
    others = [
        planned("embedded", samples=3),
        planned("embedded", seed=1),
        planned("embedded", limit=2),
        planned("embedded", rewards=["exact"]),
        planned(run),
        replace(plan, asked=find_asked("embedded", ["sampling.top_p=0.5"])),
        replace(plan, asked=find_asked("embedded", ["data.system=Add."])),
    ]
    names = {one.folder().name for one in others}
    assert len(names) == len(others)
    assert plan.folder().name not in names
    assert planned("embedded").folder() == plan.folder()


def test_other_answers_to_the_same_prompts_are_another_evaluation(tmp_path):
    data = tmp_path / "data.jsonl"
    first = plan_of(write_data(data)).folder()
    data.write_text(data.read_text().replace('"answer": "1"', '"answer": "2"'))
    assert plan_of(str(data)).folder() != first


def test_another_model_is_asked_in_the_same_way(run):
    plan = planned(run)
    other = beside(plan, "embedded", "--against")
    assert other.sampling == plan.sampling
    assert other.sampling["temperature"] == 0.5
    assert other.asked.spec.data.system == "Add."
    assert (other.rows, other.seed, other.chat) == (plan.rows, plan.seed, plan.chat)
    assert other.folder().parent == Path("evaluations")


def test_what_is_told_of_it_is_json(run):
    facts = planned(run).facts()
    assert list(facts) == [
        "model",
        "of_run",
        "step",
        "data",
        "samples",
        "seed",
        "sampling",
        "weights",
        "rewards",
        "right",
    ]
    assert (facts["data"]["prompts"], facts["data"]["split"], facts["right"]) == (3, "eval", "accuracy")
