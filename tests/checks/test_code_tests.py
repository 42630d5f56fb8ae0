"""The tests of rows for the reward `code`."""

import json

import pytest

from gpocli.builtin.rewards.code import Code, CodeOptions
from gpocli.checks.code_tests import check_code_tests
from gpocli.checks.findings import Findings
from gpocli.contracts.building import NamedReward
from gpocli.data import gather
from gpocli.errors import EnvironmentFault


@pytest.fixture
def found(draft):
    """Faults and notes about rows with these cells."""
    try:
        reward = Code(CodeOptions())
    except EnvironmentFault as missing:
        pytest.skip(str(missing))

    def of(*cells):
        findings = Findings(draft("run: {steps: 1}\n"))
        rows = gather("a.jsonl", [(line, {"prompt": "?", "tests": cell}) for line, cell in enumerate(cells, 1)])
        check_code_tests(findings, [NamedReward("code", reward, ("tests",))], rows, None)
        return [str(fault) for fault in findings.faults], findings.notes

    return of


def test_sound_tests(found):
    assert found(["assert f() == 1"], json.dumps({"inputs": ["1"], "outputs": ["2"]})) == ([], [])


def test_a_cell_that_holds_none(found):
    (fault,), _ = found(["assert f()"], "assert f(", "assert (")
    assert fault.startswith("a.jsonl:2: the column 'tests': a test is not Python")


def test_rows_without_tests_are_counted(found):
    assert found("assert f()", None, "")[1] == [
        "a.jsonl: 2 of 3 rows have no tests in the column 'tests'; their completions get no reward from 'code'"
    ]


def test_no_row_with_tests(found):
    assert found(None, "")[0] == ["a.jsonl: no row has tests in the column 'tests'; name another as tests_column"]
