"""Paths into columns: what they lead to, and why they lead nowhere."""

import pytest

from gpocli.columns import read_path
from gpocli.errors import SpecError

ROW = {
    "reward_model": {"ground_truth": "42", "style": "rule"},
    "answers": {"text": ["a", "b"]},
    "a.b": 1,
    "a": {"b": 2, "c": 3},
    "held": '{"gold": [7]}',
    "context": "One.",
    "question": "Two?",
    "input": " ",
    "none": None,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("reward_model", ROW["reward_model"]),
        ("reward_model.ground_truth", "42"),
        ("answers.text[0]", "a"),
        ("answers.text[-1]", "b"),
        ("answers.text[2]", None),
        ("a.b", 1),
        ("a.c", 3),
        ("held:json.gold[0]", 7),
        ("context+question", "One.\n\nTwo?"),
        ("question+input", "Two?"),
        ("none+input", None),
        ("none.x", None),
    ],
)
def test_a_path_leads_to_a_value(text, value):
    assert read_path(text, ROW).of(ROW) == value


@pytest.mark.parametrize("text", ["gone", "gone.a", "reward_model[x]", "reward_model..a", "context+gone", ""])
def test_what_is_no_path(text):
    assert read_path(text, ROW) is None


def test_an_unknown_step_is_refused_with_the_nearest():
    with pytest.raises(SpecError) as error:
        read_path("context:boxd", ROW)
    assert str(error.value) == "'context:boxd': there is no step ':boxd'; did you mean ':boxed'?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("reward_model.truth", "'reward_model' holds no 'truth', but 'ground_truth', 'style'"),
        ("held.gold", "'held' is JSON held as text; read it with the step :json, as in :json.gold"),
        ("answers.text[5]", "'answers.text' is a list of 2, counted from 0"),
        ("context[0]", "'context' is the text \"One.\", not a list"),
        ("context:boxed", "'context' is the text \"One.\", in which the step :boxed finds nothing"),
        ("answers.text.x", "'answers.text' is a list, which holds no 'x'"),
        ("none.x", "'none' is null"),
    ],
)
def test_a_path_says_why_it_leads_nowhere(text, reason):
    assert read_path(text, ROW).why_not(ROW) == reason


def test_columns_that_a_path_needs():
    assert read_path("context+question", ROW).columns == ("context", "question")
    assert read_path("a.c", ROW).columns == ("a",)
