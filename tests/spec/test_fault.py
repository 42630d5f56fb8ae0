"""Faults are one line each, in the order of their places, and decide one exit code."""

import pytest

from gpocli.errors import EnvironmentFault, PluginError, SpecError
from gpocli.spec.fault import Fault, as_error, in_order
from gpocli.spec.layer import Place


def fault(source, line=0, column=0, key="", text="is wrong", kind="spec"):
    return Fault(Place(source, line, column), key, text, kind)


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (fault("a.yaml", 3, 5, "run.steps"), "a.yaml:3:5: run.steps: is wrong"),
        (fault("--set run.steps=0", key="run.steps"), "--set run.steps=0: run.steps: is wrong"),
        (fault("a.yaml"), "a.yaml: is wrong"),
        (fault("a.yaml", text="two\nlines\x1b"), "a.yaml: two\\nlines\\x1b"),
    ],
)
def test_a_fault_is_one_line(one, line):
    assert str(one) == line


def test_faults_go_by_source_then_line_then_column():
    faults = [fault("--set", key="c"), fault("b", 1, 1), fault("a", 2, 1), fault("a", 1, 9), fault("a", 1, 2)]
    assert [str(one.place) for one in in_order(faults, ["a", "b"])] == ["a:1:2", "a:1:9", "a:2:1", "b:1:1", "--set"]


def test_a_fault_that_was_found_twice_is_told_once():
    assert len(in_order([fault("a", 1, 1), fault("a", 1, 1)], ["a"])) == 1


@pytest.mark.parametrize(
    ("kinds", "error"),
    [
        (["environment"], EnvironmentFault),
        (["environment", "plugin"], PluginError),
        (["plugin", "environment", "spec"], SpecError),
    ],
)
def test_the_exit_code_is_that_of_the_first_kind_there_is(kinds, error):
    made = as_error(fault("a", text=kind, kind=kind) for kind in kinds)
    assert type(made) is error
    assert str(made) == "\n".join(f"a: {kind}" for kind in kinds)
