"""What a path of a spec leads to, in words."""

import pytest

from gpocli.spec.fields import paths_called, phrase, setting_names, settings, wanted_at


@pytest.mark.parametrize(
    ("key", "clean", "words"),
    [
        (("run", "steps"), ("run", "steps"), "a whole number, at least 1, or null"),
        (("model", "dtype"), ("model", "dtype"), "one of auto, float32, bfloat16, float16"),
        (("data", "columns"), ("data", "columns"), "a mapping"),
        (("data", "columns", "prompt"), ("data", "columns", "prompt"), "text"),
        (("algorithm", "gfpo", "filters", 0, "name"), ("algorithm", "filters", 0, "name"), "text"),
        (("optim",), ("optim",), "a mapping"),
        (("model", "lora", "dropout"), ("model", "lora", "dropout"), "a number from 0 to below 1"),
        (("model", "trust_remote_code"), ("model", "trust_remote_code"), "true or false"),
    ],
)
def test_what_may_stand_at_a_path(key, clean, words):
    path, wanted = wanted_at(key, "gfpo")
    assert (path, phrase(wanted)) == (clean, words)


def test_a_section_of_an_algorithm_is_that_of_its_type():
    assert "keep" in wanted_at(("algorithm",), "gfpo")[1].section.model_fields
    assert "keep" not in wanted_at(("algorithm",), "grpo")[1].section.model_fields


def test_an_unknown_name_leads_to_nothing():
    path, wanted = wanted_at(("run", "stepz"), "gfpo")
    assert (path, wanted.types) == (("run", "stepz"), ())


def test_settings_of_one_algorithm_are_a_part_of_all():
    every, gmpo = ({one.path for one in settings(name)} for name in (None, "gmpo"))
    assert gmpo < every
    assert {"algorithm.divisor"} <= every - gmpo


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("num_generations", ["algorithm.group_size"]),
        ("lr", ["optim.learning_rate"]),
        ("source", ["data.source"]),
        ("zebra", []),
    ],
)
def test_where_a_setting_stands_that_others_call(name, paths):
    assert paths_called(name) == paths


def test_every_name_leads_somewhere():
    assert [name for name in setting_names() if not paths_called(name)] == []
