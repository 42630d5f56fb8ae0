"""Functions, classes and records stand for extensions without a package."""

import pytest

from gpocli.contracts.options import OptionsError, checked_options
from gpocli.contracts.reference import Referenced
from gpocli.contracts.unpackaged import as_extension
from gpocli.errors import PluginError
from gpocli.extensions import FilterExtension, RewardExtension


class Weighted:
    def __init__(self, weight, copy=1, *, name="w"):
        self.values = (weight, copy, name)

    def __call__(self, group_completions, group_rewards):
        return []


class Open:
    def __init__(self, **options):
        self.options = options

    def __call__(self, group_completions, group_rewards):
        return []


class Bare:
    def __call__(self, group_completions, group_rewards):
        return []


def function(group_completions, group_rewards):
    return []


RECORD = FilterExtension("lines", lambda options: function, "fewest lines")


def extension(value):
    return as_extension(Referenced("thing", value, None), "./f.py:thing", "filter")


def build(value, **options):
    record = extension(value)
    return record.build(checked_options(record.options, options, "filter './f.py:thing'"))


def test_function_and_instance_are_taken_as_they_are():
    instance = Bare()
    assert build(function) is function
    assert build(instance) is instance
    assert extension(function).name == "thing"


def test_class_is_made_with_its_options():
    assert build(Weighted, weight=2, copy=3).values == (2, 3, "w")
    assert isinstance(build(Bare), Bare)
    assert build(Open, anything=[1]).options == {"anything": [1]}


def test_record_is_taken_whole():
    assert extension(RECORD) is RECORD


def test_options_of_a_class_are_those_of_its_signature():
    with pytest.raises(OptionsError) as caught:
        build(Weighted, wieght=2)
    assert str(caught.value) == (
        "filter './f.py:thing': unknown option 'wieght'; did you mean 'weight'?; "
        "and option 'weight' is missing; write it"
    )


def test_function_has_no_options():
    with pytest.raises(OptionsError, match=r"unknown option 'weight'; there are none$"):
        build(function, weight=2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "filter './f.py:thing' is 3 (int); name a function, a class or a FilterExtension"),
        (None, "filter './f.py:thing' is None; name a function, a class or a FilterExtension"),
        (
            FilterExtension("Lines", lambda options: function, ""),
            "filter './f.py:thing': 'Lines' cannot be a name; write lower-case letters, digits and _, starting "
            "with a letter",
        ),
    ],
)
def test_anything_else_is_refused(value, message):
    with pytest.raises(PluginError) as caught:
        extension(value)
    assert str(caught.value) == message


def test_reward_record_is_no_filter():
    reward = RewardExtension("words", lambda options: function, "")
    with pytest.raises(PluginError, match=r"is RewardExtension\(name='words'.*; name a function, a class or a Filter"):
        extension(reward)
