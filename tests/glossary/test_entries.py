"""The glossary: whole, found under the names that people meet, and near where a name is not there."""

import re

import pytest

from gpocli import errors
from gpocli.errors import GpoError, SpecError
from gpocli.glossary import Entry, entries, find, legend
from gpocli.plugin_manager import load_plugins

GUARDS = load_plugins(entry_points=False).guards
METRICS = [one for one in entries().values() if one.kind == "metric"]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("entropy", "entropy"),
        ("`entropy`", "entropy"),
        ("eval_entropy", "entropy"),
        ("eval_runtime", "eval_runtime"),
        ("rewards/./mine.py:count_a/mean", "rewards/NAME/mean"),
        ("eval_rewards/a/b/std", "rewards/NAME/std"),
        ("Kept", "kept"),
        ("4", "exit 4"),
        ("exit 143", "exit 143"),
        ("nothing could be learned: in every group all completions got the same reward", "nothing could be learned"),
        ("step 2/9  no new generation  loss 0.1", "no new generation"),
    ],
)
def test_names_are_found_as_people_meet_them(asked, name):
    assert find(asked).name == name


def test_more_entries_stand_beside_those_of_the_glossary():
    mine = Entry("too_slow", "guard", "steps take too long")
    assert find("too_slow", [mine]) is mine
    assert find("kl", [Entry("kl", "guard", "a plugin's")]).kind == "metric"


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("entropie", "did you mean 'entropy' or"),
        ("mean_length", "'completions/mean_length'"),
        ("eval_grad_norm", "'grad_norm'"),  # which no evaluation writes
        ("zzzz", "'gpo explain' lists all names"),
        ("", "'gpo explain' lists all names"),
    ],
)
def test_a_near_miss_is_answered_with_what_is_near(asked, hint):
    with pytest.raises(SpecError, match=re.escape(hint)) as caught:
        find(asked)
    assert str(caught.value).startswith(f"the glossary has no '{asked}'; ")


def test_every_exit_code_of_an_error_is_explained():
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, GpoError)]
    codes = {one.exit_code for one in kinds if isinstance(one.__dict__.get("exit_code"), int)}
    assert codes == {1, 2, 3, 4, 5}
    assert {f"exit {code}" for code in codes | {0, 75, 130, 143}} == {
        one.name for one in entries().values() if one.kind == "exit code"
    }


def test_every_population_is_explained():
    words = {one.name for one in entries().values() if one.kind == "word"}
    named = {word for one in METRICS for word in re.split(" or ", one.of) if word}
    assert named - words == {"groups", "none"}


def test_alarms_that_are_named_are_those_of_guards():
    named = {name for one in METRICS for name in re.findall(r"alarm of `(\w+)`", one.healthy)}
    assert named <= GUARDS.keys() | {"wordier"}
    assert len(named) > 5


def test_a_legend_is_one_line():
    assert legend() == (
        "kept: chosen by the filter · all: every candidate · lost: stopped in a race · flat: groups of one reward · "
        "cut: did not end in time"
    )
