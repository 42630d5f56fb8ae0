"""Tokens are counted through the template, a block at a time, and of a book only its start."""

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from gpocli.data import gather
from gpocli.data.token_counts import count_tokens
from gpocli.errors import SpecError

TEMPLATE = "{% for m in messages %}{{ m.role + ' ' + m.content + ' ' }}{% endfor %}assistant"


@pytest.fixture
def tokenizer():
    words = Tokenizer(models.WordLevel({"?": 0, "a": 1}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?", model_max_length=8)


def rows_of(*prompts):
    return gather("d.jsonl", [(line, {"prompt": prompt}) for line, prompt in enumerate(prompts, 1)])


def tokens_of(rows, tokenizer, **options):
    return list(count_tokens(rows, tokenizer, **options).tokens)


def test_plain_prompts_are_counted_as_they_are(tokenizer):
    assert tokens_of(rows_of("a", "a a a", "a " * 20_000), tokenizer) == [1, 3, 20_000]


def test_chats_are_counted_through_the_template(tokenizer):
    tokenizer.chat_template = TEMPLATE
    rows = rows_of([{"role": "user", "content": "a a"}], [{"role": "user", "content": "a"}])
    assert tokens_of(rows, tokenizer) == [4, 3]  # "user a a assistant", "user a assistant"


def test_chats_without_a_template_are_refused(tokenizer):
    with pytest.raises(SpecError) as error:
        count_tokens(rows_of([{"role": "user", "content": "a"}]), tokenizer)
    assert str(error.value) == (
        "d.jsonl: prompts are chat messages, but the model's tokenizer has no chat template; "
        "write plain text prompts, or name a chat model"
    )


def test_a_template_that_refuses_is_quoted(tokenizer):
    tokenizer.chat_template = "{{ raise_exception('System role not supported') }}"
    with pytest.raises(SpecError) as error:
        count_tokens(rows_of([{"role": "user", "content": "a"}]), tokenizer)
    assert str(error.value) == (
        "d.jsonl: the model's chat template refuses a prompt (System role not supported); "
        "change the messages or their roles"
    )


def test_each_block_is_looked_at_with_its_rows(tokenizer):
    seen = []
    rows = rows_of(*("a" if number % 2 else "a a" for number in range(2500)))
    counts = count_tokens(rows, tokenizer, look=lambda some, ids: seen.append((some.lines[0], len(some), len(ids))))
    assert seen == [(1, 1000, 1000), (1001, 1000, 1000), (2001, 500, 500)]
    assert list(counts.tokens[:3]) == [2, 1, 2]


@pytest.mark.parametrize("as_chat", [False, True])
def test_a_book_over_the_limit_is_not_read_to_its_end(tokenizer, as_chat):
    tokenizer.chat_template = TEMPLATE
    prompts = ["a " * 500_000, "a"]
    rows = rows_of(*([{"role": "user", "content": one}] if as_chat else one for one in prompts))
    counts = count_tokens(rows, tokenizer, limit=50)
    assert (counts.tokens[0], counts.cut, counts.told(0)) == (100_000, {0}, "over 100000")
    assert counts.told(1) == ("3" if as_chat else "1")


def test_a_long_text_of_few_tokens_is_counted_whole(tokenizer):
    counts = count_tokens(rows_of("a" + " " * 300_000 + "a"), tokenizer, limit=50)
    assert (list(counts.tokens), counts.cut) == ([2], frozenset())
