"""`gpo eval`: a run and its base side by side, as a table and as JSON, and what cannot be measured."""

import json
from pathlib import Path

import pytest

from gpocli.asking.source import base_of, find_asked
from gpocli.measuring.plan import beside, make_plan
from gpocli.measuring.prompts import Wanted
from tests.cli.in_process import User
from tests.measuring.made_up import record, write_data
from tests.measuring.runs import make_run

KEYS = [
    "model",
    "step",
    "data",
    "samples",
    "seed",
    "sampling",
    "right",
    "folder",
    "graded",
    "figures",
    "by",
    "against",
    "excess_length_reduction",
]


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    """Someone with a run, `x`, another, `g`, and `data.jsonl`, of which all models have answered everything twice.

    The base wrote as `record` has it, `x` 10 tokens more each time, and `g` 40.
    """
    user = User(tmp_path, monkeypatch, capsys)
    write_data(Path("data.jsonl"))
    for name in ("x", "g"):
        make_run(tmp_path / name)
    plan = make_plan(find_asked("x"), Wanted("data.jsonl"), (), None, samples=2, seed=0)
    record(plan.folder(), longer=10)
    record(beside(plan, base_of(plan.asked), "--against").folder())
    record(beside(plan, "g", "--grpo").folder(), longer=40)
    return user


def test_a_run_alone(user):
    said = user.gpo("eval", "x", "--data", "data.jsonl", "-n", 2)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0] == "x on 20 prompts of data.jsonl, 2 answers each; right: accuracy above a half"
    assert lines[2].split() == ["figure", "value", "95", "%", "interval"]
    table = {line[:21].strip(): line[21:].split() for line in lines[3:12]}
    assert table["accuracy"][0] == "0.500"
    assert table["mean length"] == ["50.0", *table["mean length"][1:2], "to", *table["mean length"][3:]]
    assert table["tokens a right answer"][0] == "100.0"
    assert lines[-1].startswith("recorded in x/evaluations/final-data-")


def test_beside_its_base_and_what_grpo_made(user):
    said = user.gpo("eval", "x", "--data", "data.jsonl", "-n", 2, "--grpo", "g", "--by", "level")
    assert (said.code, said.err) == (0, "")
    assert "+10.0 (+10.0 to +10.0)" in said.out
    # 40 tokens more by GRPO, 10 by x: 30 of 40 left away
    assert "excess length reduction: 0.750 (0.750 to 0.750) of what g adds to embedded" in said.out
    assert "differences on 20 prompts that both answered, with the same seeds" in said.out
    assert [line.split()[:2] for line in said.out.splitlines() if line[:2] in ("2 ", "10")] == [
        ["2", "10"],
        ["10", "10"],
    ]


def test_json_has_all_of_it_in_one_shape(user):
    ask = ("eval", "x", "--data", "data.jsonl", "-n", 2, "--json")
    alone, beside_base = (
        json.loads(user.gpo(*ask, *more).out) for more in ((), ("--against", "base", "--by", "level"))
    )
    assert list(alone) == list(beside_base) == KEYS
    assert alone["figures"] == beside_base["figures"]
    assert alone["figures"]["mean_length"]["value"] == 50
    assert (alone["against"], alone["by"], alone["excess_length_reduction"]) == (None, {}, None)
    assert beside_base["against"]["differences"]["mean_length"] == {"value": 10, "low": 10, "high": 10}
    assert list(beside_base["against"]) == ["model", "folder", "prompts", "figures", "differences"]
    assert beside_base["by"]["level"]["2"]["prompts"] == 10


def test_the_run_shows_what_was_evaluated(user):
    user.gpo("eval", "x", "--data", "data.jsonl", "-n", 2)
    (folder,) = Path("x/evaluations").iterdir()
    facts = json.loads((folder / "evaluation.json").read_text())
    assert (facts["format"], facts["state"], facts["graded"]) == (1, "done", 20)
    assert f"evaluations: {folder.name}" in user.gpo("runs", "show", "x").out
    assert json.loads(user.gpo("runs", "show", "x", "--json").out)["evaluations"] == [str(folder)]


def test_prompts_that_nobody_could_grade_are_told(user):
    plan = make_plan(find_asked("x"), Wanted("data.jsonl"), (), None, samples=2, seed=1)
    record(plan.folder(), ungraded=3)
    said = user.gpo("eval", "x", "--data", "data.jsonl", "-n", 2, "--seed", 1)
    assert "left out: 1 prompt, of which 'accuracy' grades no answer" in said.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("./none",), "MODEL: model.name: no such folder './none'"),
        (("x", "--data", "gone.jsonl"), "gone.jsonl"),
        (("x", "--by", "subject"), "embedded: no column 'subject' for --by; there are: "),
        (("x", "--right", "exact"), "--right 'exact' is no reward of this evaluation; there are: accuracy"),
        (("x", "--reward", "nothing"), "unknown reward 'nothing'; there are: accuracy, "),
        (("x", "--split", "test"), "gpo eval: Invalid value: --split and --map are about --data; name it"),
        (("x", "--data", "data.jsonl", "--map", "answer"), "'answer' is not OURS=THEIRS; write --map prompt=question"),
        (("embedded", "--against", "base"), "'embedded' is no run, so nothing tells its base"),
        (("embedded", "-n", 0), "Input should be greater than or equal to 1"),
    ],
)
def test_what_is_wrong_is_told_in_a_line_before_a_model_loads(user, arguments, told):
    said = user.gpo("eval", *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err
    assert said.err.count("\n") == 1


@pytest.mark.slow
def test_a_command_that_is_interrupted_says_how_far_it_was_and_goes_on(make_folder):
    folder = make_folder()
    running = folder.start("eval", "embedded", "--limit", 64, "-n", 16, "--json")
    running.wait_until(lambda: len(list(folder.path.glob("evaluations/*/candidates/*.parquet"))) >= 4)
    running.send(2)
    stopped = running.outcome()
    assert stopped.code == 130
    assert "of 64 prompts are recorded; the same command goes on" in stopped.stderr
    done = folder.gpo("eval", "embedded", "--limit", 64, "-n", 16, "--json")
    assert (done.code, json.loads(done.stdout)["graded"]) == (0, 64)
