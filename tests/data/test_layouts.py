"""Layouts that published sets have: the mapping that is named reads the rows, prompt and gold answer."""

import pytest

from gpocli.data import gather, prepare
from gpocli.data.layouts import gold_of, layout_of, why_no_prompt
from gpocli.settings.data import DataSpec

ASKED = [{"role": "user", "content": "2+3?"}]
CHAT = [*ASKED, {"role": "assistant", "content": "5"}]
SHAREGPT = [{"from": "human", "value": "2+3?"}, {"from": "gpt", "value": "5"}]

LAYOUTS = {
    "GSM8K": ({"question": "2+3?", "answer": "2 and 3 are 5.\n#### 5"}, "question", "answer:hashes"),
    "MATH": ({"problem": "2+3?", "level": "1", "solution": r"so \boxed{5}"}, "problem", "solution:boxed"),
    "NuminaMath": (
        {"source": "amc", "problem": "2+3?", "solution": r"so \boxed{5}", "messages": CHAT},
        "problem",
        "solution:boxed",
    ),
    "DeepScaleR": ({"problem": "2+3?", "answer": "5", "solution": "add"}, "problem", None),
    "OpenR1": ({"problem": "2+3?", "solution": "add", "answer": "5", "messages": CHAT}, "problem", None),
    "ShareGPT": ({"conversations": SHAREGPT}, "conversations:chat", "conversations:reply"),
    "Alpaca": ({"instruction": "Add.", "input": "2, 3", "output": "5"}, "instruction+input", "output"),
    "Dolly": ({"instruction": "Add.", "context": "2, 3", "response": "5"}, "instruction+context", "response"),
    "messages": ({"messages": CHAT}, "messages:chat", "messages:reply"),
    "messages as text": ({"messages": str(CHAT)}, "messages:chat", "messages:reply"),
    "MetaMath": ({"query": "2+3?", "response": "Add.\nThe answer is: 5"}, "query", "response:stated"),
    "RLVR": ({"messages": ASKED, "ground_truth": "5", "dataset": "gsm8k"}, "messages:chat", "ground_truth"),
    "SQuAD": (
        {"context": "Oslo.", "question": "Where?", "answers": {"text": ["Oslo"], "answer_start": [0]}},
        "context+question",
        "answers.text[0]",
    ),
    "preference": ({"chosen": CHAT, "rejected": CHAT}, "chosen:chat", "chosen:reply"),
}


LAYOUTS |= {
    "capitals": ({"Problem": "2+3?", "Answer": 5}, "Problem", "Answer"),
    "a worked answer": (
        {"question": "2+3?", "answer": "Two and three make five, so the answer is 5."},
        "question",
        "answer:stated",
    ),
    "JSON in JSON": ({"query": "2+3?", "extra": '{"answer": "5"}'}, "query", "extra:json.answer"),
}


def rows_of(row):
    return gather("d.jsonl", [(1, row)])


@pytest.mark.parametrize(("row", "prompt", "gold"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_mapping_that_is_named_reads_the_layout(row, prompt, gold):
    found = layout_of(rows_of(row))
    assert found == {"prompt": prompt} | ({"answer": gold} if gold else {})
    read = prepare(rows_of(row), DataSpec(columns=found))[0]
    asked = read["prompt"] if isinstance(read["prompt"], str) else read["prompt"][0]["content"]
    assert asked in ("2+3?", "Add.\n\n2, 3", "Oslo.\n\nWhere?")
    assert read["answer"] in ("5", 5, "Oslo")


@pytest.mark.parametrize(
    ("row", "gold"),
    [
        ({"prompt": ASKED, "reward_model": {"ground_truth": "5", "style": "rule"}}, "reward_model.ground_truth"),
        ({"prompt": ASKED, "reward_model": '{"ground_truth": "5"}'}, "reward_model:json.ground_truth"),
        ({"prompt": ASKED, "reward_model": {"ground_truth": '["5"]'}}, "reward_model.ground_truth:only"),
        ({"prompt": "2+3?", "completion": "5", "label": True}, "completion"),
        ({"prompt": "2+3?", "choices": ["4", "5"], "answer": 1}, "answer:letter"),
        ({"prompt": "2+3?", "choices": ["4", "5"], "answer": 5}, "answer"),
        ({"prompt": "2+3?", "answer": "The answer is 5"}, "answer"),
        ({"prompt": "2+3?", "label": True}, None),
    ],
)
def test_gold_answers_are_found_in_rows_with_a_prompt(row, gold):
    assert gold_of(rows_of(row)) == gold


def test_what_nobody_knows_has_no_mapping():
    assert layout_of(rows_of({"a": "q", "b": 1})) is None


def test_why_a_likely_column_is_no_prompt():
    chat = [{"from": "human", "value": "q"}, {"from": "function_call", "value": "f()"}]
    assert why_no_prompt(rows_of({"a": 1, "conversations": chat})) == (
        "'conversations:chat' cannot be the prompt (d.jsonl:1: message 2 has role 'function_call', not one of system, "
        "developer, user, assistant, tool)"
    )
    assert why_no_prompt(rows_of({"a": "q", "text": None})) is None


def test_a_mapping_that_hardly_any_row_fits_is_not_named():
    rows = gather("d.jsonl", [(line, {"problem": "" if line > 1 else "2+3?", "question": "q"}) for line in range(1, 9)])
    assert layout_of(rows) == {"prompt": "question"}
