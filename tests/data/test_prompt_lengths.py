"""Prompts that are too long are counted before training and never cut."""

from array import array

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from gpocli.data import gather
from gpocli.data.prompt_lengths import fit_prompts
from gpocli.data.token_counts import TokenCounts, count_tokens
from gpocli.errors import SpecError
from tests.data.reading import read_rows


@pytest.fixture
def tokenizer():
    words = Tokenizer(models.WordLevel({"?": 0, "a": 1}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=words, unk_token="?", model_max_length=8)


def rows_of(*prompts):
    return gather("d.jsonl", [(line, {"prompt": prompt}) for line, prompt in enumerate(prompts, 1)])


def fitted(counts, cut=frozenset(), **options):
    settings = {"max_prompt_tokens": None, "context": 64, "max_new_tokens": 16, **options}
    return fit_prompts(rows_of(*"abcdefgh"[: len(counts)]), TokenCounts(array("L", counts), cut), **settings)


def test_prompts_that_just_fit_are_left_alone():
    assert list(fitted([10, 48]).lines) == [1, 2]  # 48 = 64 - 16
    assert list(fitted([10, 500], context=None).lines) == [1, 2]
    assert list(fitted([10, 30], max_prompt_tokens=30).lines) == [1, 2]


def test_a_prompt_that_is_too_long_is_refused_by_default():
    with pytest.raises(SpecError) as error:
        fitted([10, 60, 64, 500])
    assert str(error.value) == (
        "d.jsonl:2: prompt of 60 tokens, over the limit of 48 (the model's context of 64 less 16 new tokens); "
        "3 of 4 prompts are too long, the longest has 500 tokens; shorten them, or set data.overlong=drop"
    )


def test_of_a_prompt_that_was_counted_in_part_the_least_is_said():
    with pytest.raises(SpecError, match=r"^d\.jsonl:2: prompt of over 900 tokens, over .* longest has over 900 tokens"):
        fitted([10, 900, 60], frozenset([1]))


def test_prompts_that_are_too_long_can_be_dropped_and_are_noted():
    rows = fitted([10, 60, 20], max_prompt_tokens=40, overlong="drop")
    assert list(rows.lines) == [1, 3]
    assert rows.notes == (
        "dropped rows with a prompt that is too long: d.jsonl:2: prompt of 60 tokens, over the limit of 40 "
        "(data.max_prompt_tokens); 1 of 3 prompts are too long, the longest has 60 tokens",
    )


def test_dropping_every_prompt_is_refused():
    with pytest.raises(SpecError, match=r"shorten them, or lower sampling\.max_tokens$"):
        fitted([60, 60], overlong="drop")


def test_no_room_for_any_prompt_is_refused():
    with pytest.raises(SpecError) as error:
        fitted([1], max_new_tokens=64)
    assert str(error.value) == (
        "sampling.max_tokens=64 leaves no room for a prompt in the model's context of 64 tokens; lower it"
    )


def test_streamed_prompts_are_judged_when_they_are_read(tokenizer, tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"prompt": "a"}\n' * 1000 + '{"prompt": "a a a a"}\n{"prompt": "a a"}\n')

    def fitting(overlong):
        def count(rows):
            return count_tokens(rows, tokenizer)

        rows = read_rows(str(path), streaming=True)
        options = {"max_prompt_tokens": 2, "context": 64, "max_new_tokens": 16, "overlong": overlong}
        return fit_prompts(rows, count(rows), **options, count=count)

    assert [row.lines[0] for row in fitting("drop").read_all()][-2:] == [1000, 1002]
    with pytest.raises(SpecError) as error:
        list(fitting("refuse").read_all())
    assert str(error.value) == (
        f"{path}:1001: prompt of 4 tokens, over the limit of 2 (data.max_prompt_tokens); shorten it, or set "
        "data.overlong=drop"
    )
