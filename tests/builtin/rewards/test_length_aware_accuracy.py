import math

import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.length_aware_accuracy import EXTENSION, LengthAwareAccuracyOptions
from gpocli.errors import SpecError

RIGHT = "<think>a</think>\\boxed{7}"
WRONG = "<think>a</think>\\boxed{8}"


def score(text, length, finished=True, gold="7", prompt="p", **options):
    limits = {"max_tokens": 300, "right_free_tokens": 100, "wrong_full_tokens": 80}
    reward = EXTENSION.build(LengthAwareAccuracyOptions(**(limits | options)))
    flags = None if finished is None else [finished]
    return reward(completions=[text], completion_ids=[[1] * length], prompts=[prompt], finished=flags, answer=[gold])[0]


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, 1.0),
        (100, 1.0),
        # p = 1/4: 0.5 + 0.25 (1 + cos 45 degrees)
        (150, 0.75 + 0.125 * math.sqrt(2)),
        (200, 0.75),  # p = 1/2: 0.5 + 0.25 (1 + 0)
        (300, 0.5),
        (999, 0.5),
    ],
)
def test_right_answers_fall_from_1_to_half(length, expected):
    assert score(RIGHT, length) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, -1.0),
        # q = 1/4: -0.5 - 0.25 (1 + cos 45 degrees)
        (20, -0.75 - 0.125 * math.sqrt(2)),
        (40, -0.75),
        (80, -0.5),
        (300, -0.5),
    ],
)
def test_wrong_answers_rise_from_minus_1_to_minus_half(length, expected):
    assert score(WRONG, length) == pytest.approx(expected, abs=1e-12)


def test_the_papers_limits_are_the_defaults():
    options = LengthAwareAccuracyOptions()
    assert (options.max_tokens, options.right_free_tokens, options.wrong_full_tokens) == (31744, 25600, 3702)
    # 28672 is half-way from 25600 to 31744
    assert score(RIGHT, 28672, **options.model_dump()) == pytest.approx(0.75)


def test_no_end_token_comes_first():
    assert score(RIGHT, 10, finished=False) == -0.5
    assert score("<think>a", 10, finished=False) == -0.5


@pytest.mark.parametrize("text", ["\\boxed{7}", "<think>a<think>b</think>\\boxed{7}", "<think>a</think>", "<think>7"])
def test_malformed_think_tags_cost_1(text):
    assert score(text, 10) == -1.0


def test_an_opening_tag_in_the_prompt_counts():
    assert score("a</think>\\boxed{7}", 10) == 1.0
    assert score("<think>a</think>\\boxed{7}", 10, opening="prompt") == -1.0


@pytest.mark.parametrize(
    ("think", "text", "expected"),
    [
        ("if_present", "\\boxed{7}", 1.0),
        ("if_present", "<think>a</think>b</think>7", -1.0),
        ("ignored", "<think>a</think>b</think>7", 1.0),
        ("ignored", "\\boxed{8}", -1.0),
    ],
)
def test_think_tags_can_be_optional(think, text, expected):
    assert score(text, 0, think=think) == expected


def test_without_finished_the_last_token_tells():
    options = {"max_tokens": 300, "end_token_ids": [1]}
    assert score(RIGHT, 300, finished=None, **options) == 0.5  # it ends with token 1
    assert score(RIGHT, 300, finished=None, max_tokens=300, end_token_ids=[2]) == -0.5
    assert score(RIGHT, 299, finished=None, max_tokens=300, end_token_ids=[2]) > 0.5


def test_without_finished_and_end_tokens_the_limit_tells():
    assert score(RIGHT, 300, finished=None) == -0.5


def test_an_unreadable_gold_answer_is_none():
    assert score(RIGHT, 10, gold="see text") is None
    assert score(RIGHT, 10, finished=False, gold="") is None


def test_all_values_are_options():
    values = {
        "right_short": 4.0, "right_long": 2.0, "wrong_short": -8.0, "wrong_long": -6.0,
        "unfinished": -9.0, "malformed": -7.0,
    }  # fmt: skip
    assert score(RIGHT, 200, **values) == pytest.approx(3.0)
    assert score(WRONG, 40, **values) == pytest.approx(-7.0)
    assert score(RIGHT, 200, finished=False, **values) == -9.0
    assert score("7", 200, **values) == -7.0


def test_plain_and_chat_are_alike():
    for text in (RIGHT, WRONG, "7"):
        assert score([{"role": "assistant", "content": text}], 150) == score(text, 150)


def test_the_limits_must_be_in_order():
    with pytest.raises(ValidationError, match=r"max_tokens 100 is not more than right_free_tokens 25600; give"):
        LengthAwareAccuracyOptions(max_tokens=100)


def test_a_missing_column_names_this_reward():
    reward = EXTENSION.build(LengthAwareAccuracyOptions())
    with pytest.raises(SpecError, match=r'^reward "length_aware_accuracy" needs the data column "answer"'):
        reward(completions=[RIGHT], completion_ids=[[1]])
