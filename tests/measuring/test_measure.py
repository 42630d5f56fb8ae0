"""Answers are those of the model, are scored as in training, and are drawn once, however often one is stopped."""

import pytest
import torch

from gpocli.asking.model import AskedModel
from gpocli.asking.source import find_asked
from gpocli.errors import SpecError
from gpocli.measuring.measure import measure
from gpocli.measuring.plan import make_plan
from gpocli.measuring.prompts import Wanted
from gpocli.runs.records import candidate_records, read_candidates
from tests.measuring.made_up import record

FEW = ["sampling.max_tokens=128"]


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    return AskedModel(find_asked("embedded", FEW))


@pytest.fixture
def plan():
    return make_plan(find_asked("embedded", FEW), Wanted(limit=4), (), None, samples=2, seed=5)


@pytest.fixture
def two_at_a_time(monkeypatch):
    monkeypatch.setattr("gpocli.asking.answers.portions.__defaults__", (2,))


def records(measured):
    return list(candidate_records(read_candidates(measured.path)))


def test_records_hold_what_the_model_says_and_what_the_reward_pays(model, plan, tmp_path):
    found = measure(plan, lambda _: model, lambda _: None, tmp_path)
    made = model.prompts(plan.rows, chat=True)
    drawn = [one for answers in model.answers(made, 2, 5) for one in answers]
    kept = records(found)
    assert [(one.step, one.candidate, tuple(one.tokens), one.completion) for one in kept] == [
        (one.prompt, one.candidate, one.ids, one.text) for one in drawn
    ]
    (accuracy,) = plan.rewards.pay.functions
    golds = [plan.rows[one.step]["answer"] for one in kept]
    paid = accuracy(prompts=[""] * 8, completions=[one.completion for one in kept], answer=golds)
    assert [one.rewards["accuracy"] for one in kept] == paid
    assert found.figures["accuracy"].value == sum(paid) / 8 > 0
    assert found.figures["mean_length"].value == sum(len(one.tokens) for one in kept) / 8


@pytest.mark.usefixtures("two_at_a_time")
def test_one_that_was_stopped_goes_on_and_draws_nothing_twice(model, plan, tmp_path):
    whole = records(measure(plan, lambda _: model, lambda _: None, tmp_path / "a"))

    def stop(done):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(plan, lambda _: model, stop, tmp_path / "b")
    told = []
    again = measure(plan, lambda _: model, told.append, tmp_path / "b")
    assert told == [3, 4]
    assert records(again) == whole


def test_what_is_recorded_needs_no_model(plan, model, tmp_path):
    first = measure(plan, lambda _: model, lambda _: None, tmp_path)
    written = (first.path / "evaluation.json").read_bytes()
    again = measure(plan, None, None, tmp_path)
    assert (str(again.figures), again.path) == (str(first.figures), first.path)
    assert (first.path / "evaluation.json").read_bytes() == written


def test_answers_that_nobody_can_grade_are_no_evaluation(tmp_path):
    plan = make_plan(find_asked("embedded"), Wanted(limit=1), (), None, samples=2, seed=0)
    record(plan.folder(tmp_path), ungraded=0)
    for file in (plan.folder(tmp_path) / "candidates").glob("*[1-9].parquet"):
        file.unlink()
    (plan.folder(tmp_path) / "candidates/step-000010.parquet").unlink()
    with pytest.raises(SpecError, match="reward 'accuracy' applies to no answer; name what tells right ones: --right"):
        measure(plan, None, None, tmp_path)
