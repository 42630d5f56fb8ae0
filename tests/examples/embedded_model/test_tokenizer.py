"""The tokenizer of the embedded model."""

import random
from itertools import islice

import pytest

from examples.embedded_model.tokenizer import build_tokenizer
from examples.embedded_model.traces import trace
from gpocli.embedded import MODEL_PATH
from gpocli.embedded.task import sums


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer()


def tokens(tokenizer, text):
    return tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"])


@pytest.mark.parametrize(
    "text", ["12+34=?", "Grüße, 日本\t\n\n  x<y</think>", "", " ", "<think>a</think>", "it's 1,250.00 $"]
)
def test_any_text_survives_a_round_trip(tokenizer, text):
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_traces_survive_a_round_trip(tokenizer):
    rng = random.Random(0)
    for problem in islice(sums("train", rng), 50):
        text = trace(problem, rng)
        assert tokenizer.decode(tokenizer(text)["input_ids"], skip_special_tokens=True) == text


def test_digits_signs_and_words_are_one_token_each(tokenizer):
    assert tokens(tokenizer, "<think>8+4+0=12\nhmm, let me see\nso 12</think>12") == [
        *("<think>", "8", "+", "4", "+", "0", "=", "1", "2", "Ċ"),
        *("hmm", ",", "Ġlet", "Ġme", "Ġsee", "Ċ"),
        *("so", "Ġ", "1", "2", "</think>", "1", "2"),
    ]


def test_thinking_stays_in_the_text_and_control_tokens_do_not(tokenizer):
    ids = tokenizer("<|user|>1+1=?<|assistant|><think>so 2</think>2<|end|><|pad|>")["input_ids"]
    assert tokenizer.decode(ids, skip_special_tokens=True) == "1+1=?<think>so 2</think>2"


def test_chat_template(tokenizer):
    messages = [
        {"role": "system", "content": "add"},
        {"role": "user", "content": "1+1=?"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "1+2=?"},
    ]
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    assert text == "<|system|>add<|user|>1+1=?<|assistant|>2<|end|><|user|>1+2=?<|assistant|>"


def test_end_and_pad_are_two_tokens(tokenizer):
    assert (tokenizer.pad_token, tokenizer.eos_token) == ("<|pad|>", "<|end|>")
    assert tokenizer.pad_token_id != tokenizer.eos_token_id


def test_shipped_tokenizer_is_the_built_one(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    for name in ("tokenizer.json", "chat_template.jinja"):
        assert (MODEL_PATH / name).read_text() == (tmp_path / name).read_text()
