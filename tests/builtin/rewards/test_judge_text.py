import re

import pytest

from gpocli.builtin.rewards.judge_text import SCORE, filled, places, prompt_text, read_score


def test_the_places_of_a_template():
    assert places("{prompt} {answer} {prompt} {{no}} {}") == ["prompt", "answer"]


def test_a_template_is_filled_once():
    values = {"completion": "{answer} {0.__class__}", "answer": 42}
    assert filled("{{a}}: {completion} is {answer}", values) == "{a}: {answer} {0.__class__} is 42"


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("2+2=?", "2+2=?"),
        ([{"role": "user", "content": "2+2=?"}], "2+2=?"),
        ([{"role": "user", "content": [{"type": "text", "text": "2+2=?"}]}], "2+2=?"),
        ([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2=?"}],
         "system: Be brief.\n\nuser: 2+2=?"),
    ],
)  # fmt: skip
def test_a_prompt_as_text(prompt, text):
    assert prompt_text(prompt) == text


def score(reply, lowest=0.0, highest=10.0, pattern=SCORE):
    return read_score(reply, re.compile(pattern), lowest, highest)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Score: 7", 0.7),
        ("score = 7.5.", 0.75),
        ("**Score:** 10/10", 1.0),
        ('{"score": 3}', 0.3),
        ("Score: 1e1", 1.0),
        ("Score: 2\nno, Score: 8", 0.8),
        ("Score: 0", 0.0),
    ],
)
def test_a_score_is_read(reply, value):
    assert score(reply) == pytest.approx(value)


@pytest.mark.parametrize(
    "reply", ["", "seven", "Score: high", "Score: 11", "Score: -1", "Score: 1,000", "Score: 70%", "Score: 1.2.3", "7"]
)
def test_what_is_no_score(reply):
    assert score(reply) is None


def test_the_last_one_counts_even_when_it_is_out_of_bounds():
    assert score("Score: 5, or Score: 99") is None


def test_the_scale_is_its_own():
    # (-0.5 + 1) / 2
    assert score("Score: -0.5", lowest=-1.0, highest=1.0) == 0.25


@pytest.mark.parametrize(("reply", "value"), [("[[4]]", 0.4), ("[[x]]", None), ("[[]]", None)])
def test_the_pattern_is_an_option(reply, value):
    assert score(reply, pattern=r"\[\[(\w)?\]\]") == value
