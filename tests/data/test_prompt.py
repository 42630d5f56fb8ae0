"""One prompt: text or messages, and why it cannot be used."""

import pytest

from gpocli.data.prompt import BadPromptError, read_prompt

USER = {"role": "user", "content": "hi"}


def read(prompt, *, chat=False):
    return read_prompt(prompt, chat=chat, from_table=False)


def test_text_and_messages_are_prompts():
    assert read("hi") == "hi"
    assert read([USER]) == [USER]
    assert read('[{"role": "user", "content": "hi"}]', chat=True) == [USER]


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        (None, "prompt is null or missing"),
        ([], "prompt is an empty list"),
        (5, "prompt is neither text nor messages"),
        ([USER, {"role": "assistant", "content": "a"}], "prompt ends with an assistant message"),
        ([{"role": "user", "content": [{"type": "image"}]}], "a message has a part that is not text"),
    ],
)
def test_what_is_no_prompt_is_counted_by_its_kind(prompt, kind):
    with pytest.raises(BadPromptError) as error:
        read(prompt)
    assert error.value.kind == kind
