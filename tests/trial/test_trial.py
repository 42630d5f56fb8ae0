"""What is tried alike on filters and rewards, on a trial that gives the lengths of made-up completions."""

import itertools
from time import perf_counter

import pytest

from gpocli.data import gather
from gpocli.errors import PluginError, SpecError
from gpocli.trial.made_up import made_up
from gpocli.trial.samples import Group, reward_arguments
from gpocli.trial.trial import Trial, split

SAMPLES = made_up(gather("here", [(1, {"prompt": "a", "answer": "4", "topic": "sums"})]))


class Lengths(Trial[float]):
    gives = "values"

    def __init__(self, value=None, clock=perf_counter):
        super().__init__("one", SAMPLES, clock)
        self.value = value or (lambda arguments: [float(len(ids)) for ids in arguments["completion_ids"]])

    def arguments(self, *, chat):
        return reward_arguments(SAMPLES, chat=chat)

    def call(self, arguments):
        return self.value(arguments)

    def comparisons(self):
        return {"text and chat": self.form, "columns": self.columns}

    def rest(self, values):
        return []


def findings(trial):
    return {check.name: check.finding for check in trial.report("x").checks}


def faults(trial):
    return trial.report("x").faults


def test_what_is_sound_has_no_fault():
    assert faults(Lengths()) == []
    assert findings(Lengths()) | {"values": "", "time": ""} == {
        "values": "",
        "same again": "yes",
        "text and chat": "the same",
        "columns": "none",
        "time": "",
    }


def test_time_is_that_of_the_quicker_call_by_completion():
    ticks = iter([0.0, 7.0, 10.0, 10.7])  # 7 s, then 0.7 s for 7 completions
    assert findings(Lengths(clock=ticks.__next__))["time"] == "100 ms a completion"


def test_values_that_change_from_call_to_call_are_compared_no_further():
    calls = itertools.count()
    trial = Lengths(lambda arguments: [float(next(calls))] * 7)
    assert findings(trial)["same again"] == "no"
    assert findings(trial)["columns"] == "not tried, for its values change from call to call"
    assert "make it depend on its arguments alone" in faults(trial)[0]


def test_arguments_that_are_changed_are_told():
    def clearing(arguments):
        values = [float(len(ids)) for ids in arguments["completion_ids"]]
        arguments["prompts"].clear()
        return values

    assert faults(Lengths(clearing)) == [
        'one changes its argument "prompts", which others are given too; change a copy'
    ]


def test_text_and_chat_that_differ_are_told():
    trial = Lengths(lambda arguments: [float(isinstance(one, str)) for one in arguments["completions"]])
    assert findings(trial)["text and chat"] == "differ"
    assert faults(trial)[0].startswith("one gives 1 with text and 0 with chat messages for ")


def test_what_works_with_one_form_alone_is_told():
    def text_alone(arguments):
        if not all(isinstance(one, str) for one in arguments["completions"]):
            raise PluginError("no text")
        return [0.0] * 7

    assert faults(Lengths(text_alone))[0].startswith("with chat messages for text: no text; take the text with")


def test_what_fails_as_it_is_but_not_in_the_other_form_gets_a_hint():
    def chat_alone(arguments):
        if isinstance(arguments["completions"][0], str):
            raise PluginError("no messages")
        return [0.0] * 7

    (fault,) = faults(Lengths(chat_alone))
    assert fault.startswith("no messages; it works with chat messages but not with text: take the text with")


def test_columns_that_are_needed_or_used_are_told():
    def by_columns(arguments):
        if "answer" not in arguments:
            raise PluginError("no answer")
        return [float(len(arguments.get("topic", "")))] * 7

    assert findings(Lengths(by_columns))["columns"] == "answer (needed), topic (used)"


def test_a_fault_of_the_data_is_not_one_of_what_is_tried():
    def refusing(arguments):
        raise SpecError("no such column")

    with pytest.raises(SpecError):
        Lengths(refusing).report("x")


def test_values_are_split_by_group():
    groups = [Group({}, SAMPLES.candidates[:2]), Group({}, SAMPLES.candidates[:1])]
    assert split([1.0, 2.0, 3.0], groups) == [[1.0, 2.0], [3.0]]
