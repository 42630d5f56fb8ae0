"""A later layer wins, lists are replaced whole, and every value keeps its place."""

import pytest

from gpocli.spec.layer import Layer, Place
from gpocli.spec.merge import AssignError, Merged, for_algorithm

FLAG = Place("--set")


def merged(*layers):
    result = Merged()
    for number, data in enumerate(layers):
        result.overlay(Layer(f"layer {number}", data))
    return result


def assigned(path, value, *layers):
    result = merged(*layers)
    result.assign(path, value, FLAG)
    return result


def test_mappings_are_merged_and_lists_replaced():
    result = merged({"a": {"b": 1, "c": [1, 2]}}, {"a": {"c": [3]}, "d": 4})
    assert result.data == {"a": {"b": 1, "c": [3]}, "d": 4}
    assert [str(result.place_of(key)) for key in [("a", "b"), ("a", "c", 0), ("d",)]] == [
        "layer 0",
        "layer 1",
        "layer 1",
    ]


def test_the_newest_of_several_values_is_that_of_the_last_layer():
    result = merged({"a": 1, "b": 1}, {"b": 2})
    assert result.newest([("a",), ("b",), ("c",)]) == ("b",)
    assert result.newest([("c",)]) is None


def test_a_layer_stays_as_it_was():
    first = {"a": {"b": [1]}}
    result = merged(first, {"a": {"c": 2}})
    result.data["a"]["b"].append(2)
    assert first == {"a": {"b": [1]}}


@pytest.mark.parametrize(
    ("before", "after", "run"),
    [
        ({"steps": 5}, {"epochs": 2}, {"epochs": 2}),
        ({"epochs": 2}, {"steps": 5}, {"steps": 5}),
        ({"steps": 5}, {"epochs": None}, {"steps": 5, "epochs": None}),
    ],
)
def test_the_length_of_a_run_is_that_of_the_last_word(before, after, run):
    assert merged({"run": before}, {"run": after}).data["run"] == run


def test_a_value_is_set_by_its_path():
    result = assigned("optim.learning_rate", 1, {"optim": {"schedule": "linear"}})
    assert result.data == {"optim": {"schedule": "linear", "learning_rate": 1}}
    assert result.place_of(("optim", "learning_rate")) == FLAG


def test_an_entry_of_a_list_is_set_by_its_number():
    result = assigned("rewards.0.weight", 2, {"rewards": ["exact", "accuracy"]})
    assert result.data["rewards"] == [{"name": "exact", "weight": 2}, "accuracy"]


def test_a_list_grows_by_one():
    assert assigned("rewards.1", "exact", {"rewards": ["accuracy"]}).data["rewards"] == ["accuracy", "exact"]


def test_an_entry_of_a_default_list_can_be_set():
    result = assigned("algorithm.filters.0.options.seed", 3, {"algorithm": {"type": "gfpo"}})
    assert result.data["algorithm"]["filters"] == [{"name": "length", "options": {"seed": 3}}]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("algorithm..keep", "the path has an empty part; write it as algorithm.keep"),
        ("rewards.5.name", "the list has 1 entry; write rewards.1 to add one"),
    ],
)
def test_a_path_that_leads_nowhere_is_told(path, message):
    with pytest.raises(AssignError) as caught:
        assigned(path, 1, {"rewards": ["exact"]})
    assert str(caught.value) == message


def test_a_base_layer_gives_nothing_to_another_algorithm():
    layer = Layer("preset", {"algorithm": {"type": "gfpo", "keep": 4}, "run": {"steps": 5}})
    assert for_algorithm(layer, "grpo").data == {"run": {"steps": 5}}
    assert for_algorithm(layer, "gfpo").data == layer.data


def test_a_base_layer_without_a_type_gives_what_the_algorithm_has():
    layer = Layer("default", {"algorithm": {"group_size": 8, "divisor": "group"}})
    assert for_algorithm(layer, "gfpo").data["algorithm"] == {"group_size": 8, "divisor": "group"}
    assert for_algorithm(layer, "gmpo").data["algorithm"] == {"group_size": 8}
