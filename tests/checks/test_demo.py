"""What was made for the embedded model alone, and another model."""

import json

import pytest

from gpocli.checks.demo import check_demo, names_no_data
from gpocli.checks.findings import Findings
from gpocli.embedded import MODEL_PATH
from gpocli.spec.dump import dump_spec

NONE = (
    "run.yaml:1:9: data.source: no data is named to train 'owner/name' on; name some, as in --data rows.jsonl, or "
    "data: {source: rows.jsonl} in a spec (--data embedded for the sums of the demo)"
)


def test_another_model_never_has_the_sums_by_default(found_by):
    assert found_by(check_demo, "model: {name: owner/name}") == [NONE]
    assert found_by(check_demo, "model: {name: owner/name}\ndata: {limit: 9}") == [NONE]


@pytest.mark.parametrize(
    "text", ["run: {seed: 1}", "model: {name: embedded}", f"model: {{name: {json.dumps(str(MODEL_PATH))}}}"]
)
def test_the_embedded_model_has_them(found_by, text):
    assert found_by(check_demo, text) == []


def test_who_names_the_sums_is_told_so(draft):
    findings = Findings(draft("model: {name: owner/name}\ndata: {source: embedded}"))
    check_demo(findings)
    assert findings.faults == []
    assert findings.notes == ["'owner/name' trains on the sums of the demo, as data.source says"]


def test_a_data_section_that_is_wrong_is_answered_itself(draft, found_by):
    text = "model: {name: owner/name}\ndata: {sourc: rows.jsonl}"
    assert not names_no_data(draft(text))
    assert [line for line in found_by(check_demo, text) if "no data" in line] == []


def test_the_spec_that_a_run_of_the_demo_left_keeps_its_rate_for_another_model(draft):
    left = dump_spec(draft("run: {seed: 1}").spec)
    findings = Findings(draft(left, "model.name=owner/name", "data.source=rows.jsonl"))
    check_demo(findings)
    (note,) = findings.notes
    assert note.partition(": ")[2] == (
        "optim.learning_rate: 0.0003 is the rate of the embedded model, 300 times what others start "
        "with; write 1e-06 or so, and look at sampling, batch and run as well if they are the demo's"
    )


def test_an_adapter_may_learn_at_that_rate(draft):
    text = "model: {name: owner/name, lora: {rank: 8}}\ndata: {source: rows.jsonl}\noptim: {learning_rate: 3e-4}"
    findings = Findings(draft(text))
    check_demo(findings)
    assert findings.notes == []
