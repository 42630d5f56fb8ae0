"""What the trials of filters and rewards share: options as text, the rows that are tried, and the report."""

import json

import pytest
import typer

from gpocli.cli.trial_view import columns_from, options_from, print_report, rows_from, samples_from
from gpocli.errors import PluginError, SpecError
from gpocli.trial.report import Check, KindRow, Report

REPORT = Report(
    "filter f",
    "14 completions",
    ("a note",),
    (KindRow("gold", 2, 1, 0.5, 0.5, 0.5, 1), KindRow("empty", 1, 1, None, None, None, 0)),
    (Check("scores", "3 numbers"), Check("order", "matters", ("f counts places",))),
)


def test_options_are_values_as_in_yaml_on_top_of_others():
    texts = ["keep=[1, 2]", "name=length", "level=1e-3", "text='a=b'"]
    assert options_from(texts, {"name": "x", "seed": 1}) == {
        "name": "length", "seed": 1, "keep": [1, 2], "level": 0.001, "text": "a=b",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed", "--option 'seed' is not NAME=VALUE; write --option seed=VALUE"),
        ("=3", "--option '=3' is not NAME=VALUE; write --option NAME=VALUE"),
    ],
)
def test_an_option_is_a_name_and_a_value(text, message):
    with pytest.raises(SpecError) as caught:
        options_from([text], {})
    assert str(caught.value) == message


def test_columns_are_ours_and_theirs():
    assert columns_from(["prompt=question", "answer=a=b"]) == {"prompt": "question", "answer": "a=b"}
    with pytest.raises(typer.BadParameter, match="is not OURS=THEIRS"):
        columns_from(["prompt"])


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"question": "2+2=?", "gold": "4"}\n{"question": "", "gold": "5"}\n')
    return "a.jsonl"


def test_rows_that_cannot_be_used_are_dropped(data):
    rows = rows_from(data, ["prompt=question"], None)
    assert [row["prompt"] for row in rows] == ["2+2=?"]


def test_a_fault_of_the_columns_names_the_flag(data):
    with pytest.raises(SpecError, match="--map prompt"):
        rows_from(data, ["prompt=quest"], None)


def test_columns_that_are_needed_must_be_there(data):
    with pytest.raises(SpecError) as caught:
        samples_from(data, ["prompt=question"], None, 5, needed=["answer"])
    assert str(caught.value) == (
        "a.jsonl: no column 'answer', which it needs; columns found: 'gold', 'prompt'; map one with --map answer=NAME"
    )


def test_a_run_knows_its_own_columns(tmp_path):
    with pytest.raises(SpecError, match="--map goes with --data"):
        samples_from(None, ["prompt=question"], tmp_path, 5)


def test_a_report_is_shown_before_its_faults_are_raised(capsys):
    with pytest.raises(PluginError, match=r"^f counts places$"):
        print_report(REPORT, as_json=False)
    assert capsys.readouterr().out.splitlines() == [
        "filter f",
        "14 completions",
        "a note",
        "",
        "completion  number  none  lowest  mean  highest  kept",
        "gold             2     1     0.5   0.5      0.5     1",
        "empty            1     1       -     -        -     0",
        "",
        "check   finding",
        "scores  3 numbers",
        "order   matters",
    ]


def test_a_report_as_json_has_everything(capsys):
    with pytest.raises(PluginError):
        print_report(REPORT, as_json=True)
    shown = json.loads(capsys.readouterr().out)
    assert shown["faults"] == ["f counts places"]
    assert shown["kinds"][0] == {
        "kind": "gold", "count": 2, "missing": 1, "lowest": 0.5, "mean": 0.5, "highest": 0.5, "kept": 1,
    }  # fmt: skip
