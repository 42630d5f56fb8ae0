"""What a replay keeps by: the run's own where nothing else is asked for."""

import pytest

from gpocli.errors import GpoError, SpecError
from gpocli.replay.prepare import prepare
from gpocli.runs.run import Run
from tests.runs.made_run import make_run

ROWS = '{"prompt": "1+1", "answer": "2"}\n'


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text(ROWS)
    return {"source": str(path)}


def test_filter_and_k_are_those_of_the_run(tmp_path, data):
    prepared = prepare(Run(make_run(tmp_path / "a", data=data)), [], None)
    replay = prepared.replay
    assert (replay.group_filter.name, replay.keep, replay.steps, replay.pay) == ("length", 2, 2, None)
    assert replay.rows == {"1": {"prompt": "1+1", "answer": "2", "gpo_row": 1}}
    assert (prepared.reward_names, prepared.notes, replay.all_asked) == (["accuracy"], [], False)


def test_others_are_built(tmp_path, data):
    prepared = prepare(Run(make_run(tmp_path / "a", data=data)), ["correct", "length"], 3, ["accuracy=0.5"])
    replay = prepared.replay
    assert (replay.group_filter.name, replay.keep, replay.asks_all) == ("correct > length", 3, True)
    assert replay.pay is not None
    assert (replay.pay.names, replay.pay.weights) == (["accuracy"], [0.5])


def test_the_rewards_of_the_run_are_had_where_a_filter_needs_them(tmp_path, data):
    limited = [{"name": "overlong", "options": {"buffer": 10}}]
    replay = prepare(Run(make_run(tmp_path / "a", data=data, rewards=limited)), ["correct"], None).replay
    assert replay.pay is not None
    assert replay.pay.names == ["overlong"]


def test_data_that_is_gone_is_a_note(tmp_path):
    prepared = prepare(Run(make_run(tmp_path / "a", data={"source": "gone.jsonl"})), [], None)
    assert prepared.replay.rows == {}
    assert prepared.notes[0].startswith("without the data of the run")


def test_every_candidate_of_a_run_without_a_filter_was_asked(tmp_path, data):
    run = Run(make_run(tmp_path / "a", data=data, algorithm={"type": "grpo", "group_size": 4}))
    replay = prepare(run, ["length"], None).replay
    assert (replay.all_asked, replay.keep) == (True, 2)
    with pytest.raises(SpecError, match="this run has no filter; name one with --filter"):
        prepare(run, [], None)


@pytest.mark.parametrize(("keep", "rewards"), [(5, []), (2, ["accuracy=x"])])
def test_what_cannot_be_is_told(tmp_path, data, keep, rewards):
    with pytest.raises(SpecError):
        prepare(Run(make_run(tmp_path / "a", data=data)), [], keep, rewards)


def test_rewards_that_are_gone_are_missed_only_where_they_are_to_be_asked(tmp_path, data, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def mine(completions):\n    return [1.0 for _ in completions]\n")
    mine = {"data": data, "rewards": [{"name": "./mine.py:mine"}]}
    run = Run(make_run(tmp_path / "a", **mine))
    whole = Run(make_run(tmp_path / "b", **mine, algorithm={"type": "grpo", "group_size": 4}))
    (tmp_path / "mine.py").write_text("")
    assert prepare(whole, ["correct"], None).notes[0].startswith("without the rewards of the run")
    assert prepare(run, ["length"], None).notes == []
    with pytest.raises(GpoError, match="mine"):
        prepare(run, ["correct"], None)


def test_what_was_not_recorded_cannot_be_kept(tmp_path, data):
    run = {"steps": 2, "record_every": 3}
    assert not prepare(Run(make_run(tmp_path / "a", data=data, run=run)), [], None).replay.has_all_steps
    with pytest.raises(SpecError, match="recorded the kept alone"):
        prepare(Run(make_run(tmp_path / "b", data=data, run=run | {"records": "kept"})), [], None)
