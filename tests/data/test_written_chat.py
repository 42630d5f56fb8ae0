"""Chats in the cells of a table."""

import pytest

from gpocli.data.written_chat import written_chat

CHAT = [{"role": "user", "content": "it's 2+3=?"}]


@pytest.mark.parametrize("text", [' [{"role": "user", "content": "it\'s 2+3=?"}]', str(CHAT)])
def test_as_json_and_as_python_prints_it(text):
    assert written_chat(text) == CHAT


@pytest.mark.parametrize(
    "text", ["", "2+3", "[1, 2]", "[]", "[x", '[{"role": "user"}]', '{"role": "user"}', "[" * 9999]
)
def test_other_text_is_text(text):
    assert written_chat(text) is None
