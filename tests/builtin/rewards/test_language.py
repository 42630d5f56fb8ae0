import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.language import EXTENSION, LanguageOptions


def shares(*completions, **options):
    return EXTENSION.build(LanguageOptions(**options))(completions=list(completions))


def test_the_share_of_words():
    # the, 答, 案, is
    assert shares("the 答案 is $x$") == [0.5]
    assert shares("the 答案 is $x$", language="zh") == [0.5]


@pytest.mark.parametrize(
    ("language", "text"),
    [("ru", "ответ два"), ("ja", "答えは二です"), ("ko", "정답은 둘"), ("de", "die Lösung"), ("ar", "الجواب اثنان")],
)
def test_a_text_in_the_language_is_worth_one(language, text):
    assert shares(text, language=language) == [1.0]


def test_languages_of_one_script_look_alike():
    assert shares("la réponse est deux") == [1.0]


def test_without_words():
    assert shares("", "42", "\\boxed{x}") == [0.0, 0.0, 0.0]
    assert shares("42", without_words=1.0) == [1.0]


@pytest.mark.parametrize(("part", "share"), [("all", 0.5), ("thinking", 0.0), ("answer", 1.0)])
def test_a_part_is_read(part, share):
    assert shares("<think>二二</think>two more", part=part) == [share]


def test_thinking_without_an_end_is_all_of_it():
    assert shares("<think>二二", part="thinking") == [0.0]


def test_messages_are_read():
    assert shares([{"role": "assistant", "content": "two words"}]) == [1.0]


def test_an_unknown_language_is_refused():
    with pytest.raises(ValidationError, match="it must be one of ar, bg"):
        LanguageOptions(language="english")
