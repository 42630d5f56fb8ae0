import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.repetition import EXTENSION, RepetitionOptions, repeated_share


def penalties(*completions, tokens=None, **options):
    reward = EXTENSION.build(RepetitionOptions(**options))
    return reward(completions=list(completions), completion_ids=tokens or [[1]] * len(completions))


def test_the_share_of_repeats():
    # ab ba ab ba ab: 2 of 5 distinct
    assert repeated_share("ababab", 2) == pytest.approx(0.6)


def test_nothing_is_repeated_where_all_differ():
    assert repeated_share([1, 2, 3, 4, 5], 1) == 0.0


def test_too_short_for_an_ngram():
    assert [repeated_share("aaa", 4), repeated_share("", 1)] == [0.0, 0.0]


def test_tokens_by_default():
    # 1111 1111: one of two; 7 tokens alike have 4 4-grams, one distinct
    assert penalties("x", "y", tokens=[[1] * 5, [1] * 7]) == [-0.5, -0.75]


def test_words_without_capitals():
    # the-cat cat-the the-cat: 2 of 3 distinct
    assert penalties("The cat the\n CAT", unit="words", ngram=2) == [pytest.approx(-1 / 3)]


def test_a_share_is_free():
    # r = 0.6: (0.6 - 0.2) / 0.8 = 0.5
    assert penalties("a b a b a b", unit="words", ngram=2, free_share=0.2, max_penalty=4.0) == [pytest.approx(-2.0)]
    assert penalties("a b a b a b", unit="words", ngram=2, free_share=0.7) == [0.0]


def test_no_penalty_is_a_plain_zero():
    assert str(penalties("x")[0]) == "0.0"


def test_messages_are_read():
    chat = [{"role": "assistant", "content": "a a a"}]
    assert penalties(chat, unit="words", ngram=1) == [pytest.approx(-2 / 3)]


@pytest.mark.parametrize("options", [{"ngram": 0}, {"free_share": 1.0}, {"max_penalty": 0.0}, {"unit": "letters"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        RepetitionOptions(**options)
