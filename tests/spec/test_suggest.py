"""Answers to keys that no section has."""

import pytest

from gpocli.spec.suggest import meant_by, unknown_key


@pytest.mark.parametrize(
    ("key", "algorithm", "answer"),
    [
        (("optim", "learing_rate"), "gfpo", "unknown key; write optim.learning_rate"),
        (("learning_rate",), "gfpo", "unknown key; write optim.learning_rate"),
        (("learnin_rate",), "gfpo", "unknown key; write optim.learning_rate"),
        (("num_generations",), "grpo", "unknown key; write algorithm.group_size"),
        (("rewards", 0, "weigth"), "gfpo", "unknown key; write rewards.0.weight"),
        (("rewards", 0, "buffer"), "gfpo", "unknown key; options go one level below: write rewards.0.options.buffer"),
    ],
)
def test_the_answer(key, algorithm, answer):
    assert unknown_key(key, algorithm) == answer


def test_a_setting_of_another_algorithm_names_who_has_it():
    answer = unknown_key(("algorithm", "divisor"), "gmpo")
    assert answer.startswith("gmpo has no divisor, but gfpo has; remove it, or write algorithm.type: gfpo")


def test_what_is_like_nothing_gets_the_names_there_are():
    assert unknown_key(("batch", "zebra"), "gfpo").startswith("unknown key; write one of prompts_per_step, ")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        (("optim", "learing_rate"), [("optim", "learning_rate")]),
        (("num_generations",), [("algorithm", "group_size")]),
        (("batch", "zebra"), [("batch",)]),
        (("zebra",), []),
    ],
)
def test_what_an_unknown_key_may_stand_for(key, meant):
    assert meant_by(key, "gfpo") == meant
