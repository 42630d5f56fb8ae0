"""Steps of a column path, on texts as the sets have them."""

import pytest

from gpocli.columns.steps import STEPS

SHAREGPT = [
    {"from": "system", "value": "be brief"},
    {"from": "human", "value": "2+3?", "weight": None},
    {"from": "gpt", "value": "5"},
]


@pytest.mark.parametrize(
    ("step", "value", "result"),
    [
        ("boxed", r"so $x = \boxed{\frac{1}{2}}$.", r"\frac{1}{2}"),
        ("boxed", r"first \boxed{1}, then \boxed{2} #### 7", "2"),
        ("boxed", "no box", None),
        ("boxed", r"never closed \boxed{1", None),
        ("boxed", 5, None),
        ("hashes", "He has 3 + 4 = 7.\n#### 7", "7"),
        ("hashes", "#### 1,200 \n", "1,200"),
        ("hashes", "none", None),
        ("hashes", None, None),
        ("stated", "Half of 10 is 5.\nThe answer is: 5", "5"),
        ("stated", "Many words.\nNothing is said.", None),
        ("json", '{"a": [1]}', {"a": [1]}),
        ("json", "{'a': None}", {"a": None}),
        ("json", {"a": 1}, {"a": 1}),
        ("json", "plain", None),
        ("only", ["5"], "5"),
        ("only", '["5"]', "5"),
        ("only", ["5", "7"], None),
        ("only", "5", None),
        ("lettered", ["4", "5"], "A. 4\nB. 5"),
        ("letter", 1, "B"),
        ("chat", SHAREGPT, [{"role": "system", "content": "be brief"}, {"role": "user", "content": "2+3?"}]),
        ("chat", '[{"role": "user", "content": "a"}]', [{"role": "user", "content": "a"}]),
        ("chat", [{"role": "assistant", "content": "a"}], None),
        ("chat", "text", None),
        ("reply", SHAREGPT, "5"),
        ("reply", SHAREGPT[:2], None),
    ],
)
def test_a_step_gives_what_it_is_named_for(step, value, result):
    assert STEPS[step](value) == result


def test_a_chat_leaves_its_source_as_it_was():
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    STEPS["chat"](messages)
    assert len(messages) == 2


def test_a_role_that_nobody_knows_is_kept_so_that_it_can_be_refused_by_name():
    assert STEPS["chat"]([{"from": "function_call", "value": "f()"}]) == [{"role": "function_call", "content": "f()"}]
