"""What `gpo data` tells of a spec's rows and of its prompts as the model gets them."""

import pytest

from gpocli.checks.data_report import Preview, missing_columns, preview_data, report_data
from gpocli.contracts.building import NamedReward
from gpocli.data.rows import Rows
from gpocli.spec.sources import SpecSources, load_run_spec


@pytest.fixture
def spec_of(tmp_path, monkeypatch):
    """The spec of a file of rows, given as lines."""
    monkeypatch.chdir(tmp_path)

    def load(*lines, **settings):
        (tmp_path / "a.jsonl").write_text("".join(f"{line}\n" for line in lines))
        overrides = [f"{name.replace('__', '.')}={value}" for name, value in settings.items()]
        return load_run_spec(SpecSources(overrides=["data.source=a.jsonl", *overrides])).spec

    return load


NEEDY = NamedReward("needy", len, ("answer", "level"))


def test_missing_columns_are_needs_and_faults(spec_of):
    (report,) = report_data(spec_of('{"prompt": "x", "answer": "1"}'), [NEEDY])
    (need,) = report.needs
    assert (report.purpose, need.columns, need.missing) == ("train", ("answer", "level"), ("level",))
    assert [fault.split("; ")[0] for fault in report.survey.faults] == [
        "a.jsonl: reward 'needy' needs a column 'level'"
    ]


def test_missing_columns_are_those_that_rows_have_not():
    assert missing_columns(Rows("a", ("prompt", "level"), [], [], ()), NEEDY) == ("answer",)


def test_rows_to_evaluate_on_have_a_report_of_their_own(spec_of):
    reports = report_data(spec_of('{"prompt": "x"}', run__eval_every=1, data__eval_source="a.jsonl"), [])
    assert [report.purpose for report in reports] == ["train", "eval"]


def test_evaluation_rows_that_are_not_there_are_a_fault_of_their_report(spec_of):
    _, report = report_data(spec_of('{"prompt": "x"}', data__eval_source="none.jsonl"), [])
    assert report.purpose == "eval"
    assert "none.jsonl" in report.survey.faults[0]


def test_prompts_over_the_limit_are_counted():
    preview = Preview(Rows("a", ("prompt",), [], [], ()), ["a", "b", "c"], [3, 9, 4], 4, "")
    assert (preview.over, preview.tokens) == (1, (3, 4, 9))


def test_without_a_limit_no_prompt_is_over():
    assert Preview(Rows("a", ("prompt",), [], [], ()), ["a"], [3], None, "").over == 0


def test_of_a_very_long_prompt_a_part_is_counted(spec_of):
    preview = preview_data(spec_of(f'{{"prompt": "{"1+" * 200_000}"}}', '{"prompt": "12+3="}'))
    assert preview.cut == {0}
    assert list(preview.counts) == [200_000, 5]  # a token a character
    assert (preview.over, len(preview.texts[0])) == (1, 400_000)


def test_rows_to_evaluate_on_that_are_trained_on_are_noted(spec_of):
    spec = spec_of('{"prompt": "x"}', data__eval_source="a.jsonl")
    train, evaluation = report_data(spec, [])
    assert train.survey.notes == []
    assert evaluation.survey.notes == [
        "a.jsonl:1: the prompt of a.jsonl:1, which is trained on, so that it shows no skill"
    ]


def test_prompts_over_a_limit_that_is_set_are_faults_or_dropped(spec_of):
    lines = ('{"prompt": "12+3="}', f'{{"prompt": "{"1+" * 9}"}}')
    (report,) = report_data(spec_of(*lines, data__max_prompt_tokens=6), [])
    over = "a.jsonl:2: prompt of 18 tokens, over the limit of 6 (data.max_prompt_tokens)"
    assert report.survey.faults == [f"{over}; shorten them, or set data.overlong=drop"]
    (report,) = report_data(spec_of(*lines, data__max_prompt_tokens=6, data__overlong="drop"), [])
    assert (report.survey.faults, report.survey.notes) == ([], [f"{over}; such rows are dropped"])


def test_a_preview_leaves_out_what_no_run_could_use(spec_of):
    preview = preview_data(spec_of('{"prompt": "12+3="}', '{"prompt": ""}'))
    assert [row["prompt"] for row in preview.rows] == ["12+3="]
    assert preview.texts == ["12+3="]
    assert len(preview.counts) == 1
