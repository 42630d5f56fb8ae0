"""Faults stand where the user wrote what they are about, each under the kind that its exit code needs."""

import pytest

from gpocli.checks.findings import Findings, kind_of
from gpocli.errors import EnvironmentFault, PluginError, SpecError


@pytest.fixture
def findings(draft):
    return Findings(draft("model:\n  name: ./m\nrun: {steps: 5}\n"))


def lines(findings):
    return [str(fault) for fault in findings.faults]


def test_a_fault_stands_at_its_value(findings):
    findings.add("run.steps", "too few")
    findings.add("model.name", "is not there")
    assert lines(findings) == [
        "run.yaml:2:3: model.name: is not there",
        "run.yaml:3:7: run.steps: too few",
    ]


def test_a_fault_of_a_file_keeps_its_own_place(findings):
    findings.add_in_file("a.jsonl:3: is empty")
    findings.add_in_file("nothing loads")
    assert lines(findings) == ["a.jsonl:3: is empty", "plugins: nothing loads"]


def test_an_error_of_a_block_becomes_a_fault(findings):
    with findings.at("model.name"):
        raise EnvironmentFault("no hub")
    assert [(str(fault), fault.kind) for fault in findings.faults] == [
        ("run.yaml:2:3: model.name: no hub", "environment")
    ]


def test_an_error_that_names_its_file_stays_there(findings):
    with findings.in_file("./m", "model.name"):
        raise SpecError("./m:2: is empty")
    with findings.in_file("./m", "model.name"):
        raise SpecError("no such folder './m'")
    assert lines(findings) == ["run.yaml:2:3: model.name: no such folder './m'", "./m:2: is empty"]


def test_other_errors_are_not_caught(findings):
    with pytest.raises(ZeroDivisionError), findings.at("model.name"):
        1 / 0  # noqa: B018


@pytest.mark.parametrize(
    ("error", "kind"), [(PluginError, "plugin"), (EnvironmentFault, "environment"), (SpecError, "spec")]
)
def test_the_kind_is_that_of_the_exit_code(error, kind):
    assert kind_of(error("x")) == kind
