"""Flags are made from the settings of a spec."""

import pytest
import typer

from gpocli.cli.spec_command import flags_of
from gpocli.spec.algorithms import algorithms
from gpocli.spec.fields import settings

FLAGS = {flag.flag.name: flag for flag in flags_of("gfpo")}


@pytest.mark.parametrize("algorithm", [None, *algorithms()])
def test_every_setting_with_a_flag_has_it_once(algorithm):
    wanted = [one.path for one in settings(algorithm) if one.setting.flag is not None]
    assert sorted(flag.setting.path for flag in flags_of(algorithm)) == sorted(wanted)
    assert len({flag.flag.name for flag in flags_of(algorithm)}) == len(wanted)


def test_flags_of_the_algorithm_come_first_those_with_a_short_name_before_others():
    names = [flag.flag.name for flag in flags_of("gfpo")]
    assert names[:2] == ["--group-size", "--keep"]
    assert names.index("--beta") < names.index("--lr")


@pytest.mark.parametrize(
    ("flag", "value", "path", "read"),
    [
        ("--steps", 5, "run.steps", 5),
        ("--reward", ["exact=2"], "rewards", [{"name": "exact", "weight": 2.0}]),
        ("--map", ["prompt=question"], "data.columns", {"prompt": "question"}),
    ],
)
def test_a_flag_sets_the_value_at_its_path(flag, value, path, read):
    assignment = FLAGS[flag].assignment(value)
    assert (assignment.path, assignment.value, str(assignment.place)) == (path, read, flag)


def test_what_cannot_be_read_is_a_usage_error():
    with pytest.raises(typer.BadParameter, match="is not OURS=THEIRS"):
        FLAGS["--map"].assignment(["prompt"])


@pytest.mark.parametrize(
    ("flag", "default"),
    [("--epsilon", "0.2"), ("--filter", "length"), ("--model", "embedded"), ("--out", "runs/<name>")],
)
def test_defaults_are_told_in_words(flag, default):
    assert FLAGS[flag].default == default


def test_a_default_that_depends_on_the_algorithm_is_told_so():
    (flag,) = [one for one in flags_of(None) if one.flag.name == "--group-size"]
    assert flag.default == "by algorithm"
