"""Prompts: plain text or messages, never both, and bad ones counted."""

import pytest

from gpocli.data import gather, prepare
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec

USER = {"role": "user", "content": "hi"}


def prepared(*prompts, unit="line", **options):
    numbered = [(line, {"prompt": prompt}) for line, prompt in enumerate(prompts, start=1)]
    return prepare(gather("d.jsonl", numbered, unit=unit), DataSpec(**options))


def prompts_of(rows):
    return [row["prompt"] for row in rows]


def refusal(*prompts, **options):
    with pytest.raises(SpecError) as error:
        prepared(*prompts, **options)
    return str(error.value)


@pytest.mark.parametrize(
    ("prompt", "detail"),
    [
        (None, "prompt is null or missing"),
        ("", "prompt is empty"),
        ("   ", "prompt is empty"),
        (7, "prompt is 7, not text or messages"),
        ([], "prompt is an empty list"),
        (["hi"], "message 1 is 'hi', not an object"),
        ([{"role": "user"}], "message 1 has no content"),
        ([{"role": "user", "content": None}], "message 1 has no content"),
        ([{"role": "user", "content": ""}], "message 1 is empty"),
        ([{"role": "user", "content": 3}], "message 1 has the content 3, not text"),
        (
            [{"role": "human", "content": "x"}],
            "message 1 has role 'human', not one of system, developer, user, assistant, tool",
        ),
        ([{"content": "x"}], "message 1 has role None, not one of system, developer, user, assistant, tool"),
        (
            [USER, {"role": "assistant", "content": "x"}],
            "prompt ends with an assistant message, which is the policy's to write",
        ),
        (
            [{"role": "user", "content": [{"type": "image", "url": "x"}]}],
            "message 1 has a part of type 'image'; only text can be trained on",
        ),
        (
            [{"role": "user", "content": [{"type": "text", "text": None}]}],
            "message 1 has a part of type 'text'; only text can be trained on",
        ),
    ],
)
def test_a_bad_prompt_is_refused_with_its_line(prompt, detail):
    good = "ok" if not isinstance(prompt, list) else [USER]
    assert refusal(good, prompt) == f"d.jsonl:2: {detail} (1 of 2 rows); mend them, or set data.bad_rows=drop"


def test_bad_prompts_are_counted_by_kind():
    assert refusal("ok", None, "", None) == (
        "d.jsonl:2: prompt is null or missing; 3 of 4 rows have no usable prompt "
        "(2 times prompt is null or missing, 1 times prompt is empty); mend them, or set data.bad_rows=drop"
    )


def test_bad_rows_can_be_dropped_and_are_noted():
    rows = prepared("a", None, "b", bad_rows="drop")
    assert prompts_of(rows) == ["a", "b"]
    assert list(rows.lines) == [1, 3]
    assert rows.notes == ("dropped rows without a usable prompt: d.jsonl:2: prompt is null or missing (1 of 3 rows)",)


def test_nothing_left_is_an_error_even_when_dropping():
    assert refusal(None, bad_rows="drop") == "d.jsonl:1: prompt is null or missing (1 of 1 rows); mend these rows"


def test_plain_and_chat_rows_are_not_mixed():
    assert refusal("a", "b", [USER]) == (
        "d.jsonl:3: prompt is a list of messages, but plain text in the first row (d.jsonl:1); "
        "write all prompts of a source in one form"
    )
    assert refusal([USER], "b", unit="row") == (
        "d.jsonl: row 2: prompt is plain text, but a list of messages in the first row (d.jsonl: row 1); "
        "write all prompts of a source in one form"
    )


def test_parts_of_text_are_joined():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert prompts_of(prepared([{"role": "user", "content": parts}])) == [[{"role": "user", "content": "ab"}]]


def test_an_assistant_message_that_calls_a_tool_may_be_empty():
    call = {"role": "assistant", "content": None, "tool_calls": [{"name": "add"}]}
    result = {"role": "tool", "content": "3"}
    assert prompts_of(prepared([USER, call, result])) == [[USER, {**call, "content": ""}, result]]


def test_nulls_that_a_table_filled_in_are_taken_out():
    call = {"role": "assistant", "content": "x", "name": None, "tool_calls": [{"arguments": {"a": 1, "b": None}}]}
    prompt = [call, {**USER, "tool_calls": None}]
    from_table = prompts_of(prepared(prompt, unit="row"))[0]
    assert from_table == [{"role": "assistant", "content": "x", "tool_calls": [{"arguments": {"a": 1}}]}, USER]
    from_file = prompts_of(prepared(prompt))[0]
    assert from_file[0]["tool_calls"] == [{"arguments": {"a": 1, "b": None}}]


def test_a_system_message_is_put_in_front_but_never_a_second_one():
    own = [{"role": "system", "content": "mine"}, USER]
    assert prompts_of(prepared([USER], own, system="S")) == [[{"role": "system", "content": "S"}, USER], own]


def test_a_system_message_makes_a_plain_prompt_a_chat():
    assert prompts_of(prepared("hi", system="S")) == [[{"role": "system", "content": "S"}, USER]]


def test_plain_prompts_become_chats_when_asked():
    assert prompts_of(prepared("hi", chat=True)) == [[USER]]
    assert prompts_of(prepared([USER], chat=True)) == [[USER]]


@pytest.mark.parametrize("text", ['[{"role": "user", "content": "hi"}]', str([USER])])
def test_a_chat_that_is_written_as_text_is_read_when_asked_and_else_refused(text):
    assert prompts_of(prepared(text, text, chat=True)) == [[USER], [USER]]
    assert refusal(text) == (
        "d.jsonl:1: prompt is a chat written as text, whose brackets the model would get; write --set data.chat=true "
        "(data.chat: true in a spec) to have it read (1 of 1 rows); mend them, or set data.bad_rows=drop"
    )
