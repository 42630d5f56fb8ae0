import pytest

from gpocli.builtin.rewards.think_format import EXTENSION, ThinkFormatOptions


def score(completion, prompt="p", opening="auto"):
    reward = EXTENSION.build(ThinkFormatOptions(opening=opening))
    return reward(prompts=[prompt], completions=[completion], completion_ids=[[1]])[0]


def chat(text):
    return [{"role": "assistant", "content": text}]


CASES = [
    ("<think>a</think>b", 1.0),
    ("a</think>b", 1.0),  # trap R21: the prompt has opened the block
    ("\n<think>\na\n</think>\n\nb\n", 1.0),
    ("<think></think>b", 1.0),
    ("a b", 0.0),
    ("", 0.0),
    ("</think>", 0.0),
    ("</think>b", 1.0),
    ("<think>a", 0.0),  # cut while thinking
    ("<think>a</think>", 0.0),
    ("<think>a</think> \n", 0.0),
    ("<think>a<think>b</think>c</think>d", 0.0),  # nested
    ("<think>a</think>b<think>c</think>d", 0.0),  # trap R22: two blocks
    ("a</think>b</think>c", 0.0),
    ("</think>a<think>b", 0.0),  # reversed
    ("a</think>b<think>", 0.0),
    ("x<think>a</think>b", 0.0),
    ("```\n<think>a</think>\n```\nb", 0.0),  # inside a code fence
    ("<THINK>a</THINK>b", 0.0),
    ("<think>a</think><THINK>b</THINK>c", 0.0),
    ("<think>a</Think>b</think>c", 0.0),
]


@pytest.mark.parametrize(("completion", "expected"), CASES)
def test_one_block_and_then_an_answer(completion, expected):
    assert score(completion) == expected
    assert score(chat(completion)) == expected  # trap R14


@pytest.mark.parametrize(
    ("opening", "completion", "expected"),
    [
        ("prompt", "a</think>b", 1.0),
        ("prompt", "<think>a</think>b", 0.0),  # a second opening tag
        ("completion", "a</think>b", 0.0),
        ("completion", "<think>a</think>b", 1.0),
    ],
)
def test_who_opens_the_block_can_be_said(opening, completion, expected):
    assert score(completion, opening=opening) == expected


@pytest.mark.parametrize("prompt", ["q\n<think>\n", [{"role": "assistant", "content": "<think>"}]])
def test_a_prompt_that_visibly_opens_the_block(prompt):
    assert score("a</think>b", prompt) == 1.0
    assert score("<think>a</think>b", prompt) == 0.0


def test_a_question_about_think_tags_opens_nothing():
    assert score("<think>a</think>b", [{"role": "user", "content": "what is <think>"}]) == 1.0


def test_reasoning_in_its_own_field_is_a_block():
    assert score([{"role": "assistant", "reasoning_content": "a", "content": "b"}]) == 1.0


def test_prompts_may_be_absent():
    assert EXTENSION.build(ThinkFormatOptions())(completions=["a</think>b", "a"]) == [1.0, 0.0]


LONG = 1_000_000
"""Characters of a text that takes hours where the time grows with the square of the length."""


@pytest.mark.parametrize("unit", ["<think>", "</think>", "<think>a</think>", "<", "<think> ", "a</think>b<think>"])
def test_long_texts_do_not_hang(unit):
    assert score(unit * (LONG // len(unit))) == 0.0
