"""The task of the real model."""

import re

from examples.real_model.word_problems import word_problems


def test_problems_differ_and_are_the_same_for_the_same_seed():
    rows = word_problems(200)
    assert len({row["prompt"][0]["content"] for row in rows}) == 200
    assert rows == word_problems(200)


def test_an_answer_is_that_of_its_problem():
    kinds = {
        "buys (.*) more": lambda a, b: a + b,
        "gives (.*) of them": lambda a, b: a - b,
        "boxes with": lambda a, b: a * b,
        "together": lambda a, b: 2 * a + b,
        "loses": lambda packs, each, lost: packs * each - lost,
        "pages each day": lambda a, b: a * b,
    }
    for row in word_problems(100):
        question = row["prompt"][0]["content"]
        (solve,) = (solve for pattern, solve in kinds.items() if re.search(pattern, question))
        assert row["answer"] == str(solve(*map(int, re.findall(r"\d+", question))))
