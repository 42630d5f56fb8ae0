import pytest

from gpocli.contracts.completion import completion_text


def test_a_text_is_itself():
    assert completion_text("a</think>b") == "a</think>b"


def test_a_chat_completion_is_its_assistant_message():
    assert completion_text([{"role": "assistant", "content": "42"}]) == "42"


def test_the_last_assistant_message_counts():
    messages = [
        {"role": "assistant", "content": "let me look"},
        {"role": "tool", "content": "7"},
        {"role": "assistant", "content": "it is 7"},
        {"role": "tool", "content": "8"},
    ]
    assert completion_text(messages) == "it is 7"


def test_messages_without_a_role_are_read_too():
    assert completion_text([{"content": "42"}]) == "42"


def test_text_parts_are_joined_and_other_parts_left_out():
    parts = [{"type": "text", "text": "4"}, {"type": "image", "image": object()}, "2"]
    assert completion_text([{"role": "assistant", "content": parts}]) == "42"


@pytest.mark.parametrize("completion", [[], [{"role": "assistant", "content": None}], [{"role": "assistant"}]])
def test_nothing_said_is_an_empty_text(completion):
    assert completion_text(completion) == ""


@pytest.mark.parametrize("key", ["reasoning_content", "thinking"])
def test_reasoning_that_the_template_took_out_is_put_back(key):
    message = {"role": "assistant", key: "so", "content": "42"}
    assert completion_text([message]) == "<think>so</think>42"


@pytest.mark.parametrize(("completion", "kind"), [(7, "int"), (None, "NoneType"), ([7], "list")])
def test_anything_else_is_refused(completion, kind):
    with pytest.raises(TypeError, match=f"^a completion is a {kind}; it must be a text or a list of chat messages$"):
        completion_text(completion)
