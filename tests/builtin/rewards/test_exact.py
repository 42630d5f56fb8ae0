import json

import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.exact import EXTENSION, ExactOptions
from gpocli.errors import SpecError


def score(gold, completion, prompt="p", **options):
    reward = EXTENSION.build(ExactOptions(**options))
    return reward(prompts=[prompt], completions=[completion], completion_ids=[[1]], answer=[gold])[0]


# Traps D06 and D08: answers are the text of the file
@pytest.mark.parametrize(
    "text",
    ["NA", "None", "null", "nan", "007", "3", "3.0", "1e5", "TRUE", "true", "2024-05-01", "2024-05-01T10:00:00",
     "12:30", "1,234", ""],
)  # fmt: skip
def test_a_repeated_answer_is_right(text):
    assert score(text, text) == 1.0


@pytest.mark.parametrize(("gold", "completion"), [("007", "7"), ("3.0", "3"), ("TRUE", "true"), ("1,234", "1234")])
def test_another_spelling_is_wrong(gold, completion):
    assert score(gold, completion) == 0.0


def test_json_strings_stay_text():
    gold = json.loads('{"answer": "007"}')["answer"]
    assert (score(gold, "007"), score(gold, "7")) == (1.0, 0.0)


def test_plain_and_chat_are_alike():
    chat = [{"role": "assistant", "content": "yes"}]
    assert score("yes", chat) == score("yes", "yes") == 1.0


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("<think>no</think> yes \n", 1.0),
        ("no</think>yes", 1.0),
        ("<think>yes", 0.0),
        ("<think>no</think>yes</think>no", 0.0),
        ("<think>yes</think>", 0.0),
        ("<think>a</think>yes<think>", 0.0),
    ],
)
def test_only_what_follows_the_thinking_counts(completion, expected):
    assert score("yes", completion) == expected


@pytest.mark.parametrize(("opening", "expected"), [("auto", 1.0), ("prompt", 0.0), ("completion", 1.0)])
def test_a_completion_that_never_closes_the_block_of_the_prompt_is_wrong(opening, expected):
    assert score("yes", "yes", opening=opening) == expected


def test_a_block_that_the_prompt_visibly_opens_must_be_closed():
    assert score("yes", "yes", prompt="q <think>\n") == 0.0
    assert score("yes", "so</think>yes", prompt="q <think>\n") == 1.0


def test_white_space_and_capitals_are_options():
    assert score("yes", " yes ") == 1.0
    assert score("yes", " yes ", strip=False) == 0.0
    assert score("yes", "YES") == 0.0
    assert score("yes", "YES", case_sensitive=False) == 1.0


def test_no_gold_answer_is_none():
    assert score(None, "x") is None


def test_a_number_as_gold_is_its_text():
    assert score(7, "7") == 1.0


def test_another_column_can_hold_the_answers():
    reward = EXTENSION.build(ExactOptions(answer_column="solution"))
    assert reward(completions=["7"], solution=["7"]) == [1.0]
    assert reward.columns == ("solution",)


def test_a_missing_column_is_named():
    with pytest.raises(SpecError) as refusal:
        EXTENSION.build(ExactOptions())(completions=["7"], solution=["7"])
    assert str(refusal.value) == (
        'reward "exact" needs the data column "answer", which this data does not have; name another one with the '
        "option answer_column, or map one to it"
    )


@pytest.mark.parametrize("options", [{"answer_colum": "x"}, {"strip": 1}, {"answer_column": ""}, {"opening": "x"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        ExactOptions(**options)
