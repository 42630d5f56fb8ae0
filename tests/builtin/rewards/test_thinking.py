import pytest

from gpocli.builtin.rewards.thinking import after_thinking, opened_before, prompt_opens


@pytest.mark.parametrize(
    ("text", "opened", "rest"),
    [
        ("b", False, "b"),
        ("b", True, None),
        ("a</think>b", True, "b"),
        ("a</think>b", False, "b"),
        ("<think>a</think>b</think>c", False, "c"),
        ("<think>a", False, None),
        ("<think>a</think>b<think>c", False, None),
        ("", False, ""),
    ],
)
def test_what_follows_the_thinking(text, opened, rest):
    assert after_thinking(text, opened=opened) == rest


@pytest.mark.parametrize(
    ("prompt", "opens"),
    [
        ("q<think>", True),
        ("q<think>\n", True),
        ("q<think>a", False),
        ("q", False),
        (None, False),
        ([], False),
        ([{"role": "user", "content": "<think>"}], False),
        ([{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>\n"}], True),
    ],
)
def test_prompts_that_visibly_open_a_block(prompt, opens):
    assert prompt_opens(prompt) is opens


def test_where_the_opening_tag_is_said_to_be():
    assert opened_before("prompt", "q")
    assert opened_before("auto", "q<think>")
    assert not opened_before("auto", "q")
    assert not opened_before("completion", "q<think>")
