"""Rows: read, enough, with what rewards need, and told where they are named."""

import pytest

from gpocli.builtin.rewards.accuracy import EXTENSION
from gpocli.checks import data as data_checks
from gpocli.checks.data import check_rows, unread_golds
from gpocli.contracts.building import NamedReward
from gpocli.data.rows import Part, Rows
from gpocli.errors import EnvironmentFault


def test_the_hub_is_not_asked_while_there_are_faults_to_mend(look, monkeypatch):
    asked = []

    def ask(data):
        asked.append(data.source)
        raise EnvironmentFault("the hub cannot be reached; name a file")

    monkeypatch.setattr(data_checks, "load_rows", ask)
    look("data: {source: owner/name}\nrun: {steps: 0}\n")
    assert asked == []
    assert look("data: {source: owner/name}\n") == ["run.yaml:1:8: data.source: the hub cannot be reached; name a file"]
    assert asked == ["owner/name"]


def test_every_missing_column_of_every_reward_is_told_for_both_sources(look, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"prompt": "x"}\n' * 8)
    (tmp_path / "b.jsonl").write_text('{"prompt": "x", "answer": "1"}\n')
    text = (
        "data: {source: a.jsonl, eval_source: b.jsonl}\nrun: {eval_every: 1}\n"
        "rewards: [accuracy, {name: exact, options: {answer_column: text}}]\n"
    )
    assert [line.split("; ")[0] for line in look(text)] == [
        "a.jsonl: reward 'accuracy' needs a column 'answer'",
        "a.jsonl: reward 'exact' needs a column 'text'",
        "b.jsonl: reward 'exact' needs a column 'text'",
    ]


def rows_with(*answers):
    values = [{"prompt": "p", "answer": answer} for answer in answers]
    return Rows("a.jsonl", ("prompt", "answer"), values, [*range(1, len(answers) + 1)], (Part("a.jsonl", 0, "line"),))


@pytest.mark.parametrize(
    ("answers", "unread", "end"),
    [
        (("7", "8"), 0, ""),
        (("7", ""), 1, "a.jsonl:2: reward 'accuracy' cannot read 1 of 2 gold answers in the column 'answer'; their"),
        (("", ""), 2, "a.jsonl:1: reward 'accuracy' cannot read 2 of 2 gold answers in the column 'answer'; name the"),
    ],
)
def test_gold_answers_that_cannot_be_read_are_counted(answers, unread, end):
    reward = NamedReward("accuracy", EXTENSION.build(EXTENSION.options()), ("answer",))
    count, remark = unread_golds(rows_with(*answers), reward, trust_formulas=True)
    assert count == unread
    assert remark.startswith(end)
    assert bool(remark) == bool(end)


def test_a_reward_without_gold_answers_reads_none():
    assert unread_golds(rows_with(""), NamedReward("mine", len), trust_formulas=True) == (0, "")


def test_streamed_rows_have_no_epochs(found_by, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"prompt": "x"}\n' * 8)
    text = "data: {source: a.jsonl, streaming: true}\nrun: {steps: null, epochs: 1}\n"
    assert found_by(check_rows, text, None) == [
        "run.yaml:1:25: data.streaming: streamed rows have no known number, so epochs have no end; write run.steps"
    ]


def test_streamed_rows_cannot_be_found_again_to_refill(found_by, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"prompt": "x"}\n' * 8)
    text = "data: {source: a.jsonl, streaming: true}\nalgorithm: {type: dapo, flat_groups: refill}\nrun: {steps: 1}\n"
    assert found_by(check_rows, text, None) == [
        "run.yaml:2:25: algorithm.flat_groups: streamed rows cannot be found again, which refill must; write skip"
    ]


def test_a_split_that_is_not_there_is_told_at_the_split(found_by):
    (line,) = found_by(check_rows, "data: {split: tarin}\n", None)
    assert line.startswith("run.yaml:1:8: data.split: ")
