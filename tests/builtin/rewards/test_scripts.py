import time

import pytest

from gpocli.builtin.rewards.scripts import prose, word_scripts


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("two words", ["LATIN", "LATIN"]),
        ("naïve café", ["LATIN", "LATIN"]),
        ("cafe\u0301 ok", ["LATIN", "LATIN"]),
        ("привет мир", ["CYRILLIC", "CYRILLIC"]),
        ("答案 is", ["CJK", "CJK", "LATIN"]),
        ("手机iPhone", ["CJK", "CJK", "LATIN"]),
        ("ひカ", ["HIRAGANA", "KATAKANA"]),
        ("한국어 말", ["HANGUL"]),  # one letter of a script that parts words
        ("हिन्दी", ["DEVANAGARI"]),  # with vowel signs and a virama
        ("ａｂ", ["LATIN"]),  # full width
        ("x + y = 12, α", []),
        ("don't", ["LATIN"]),  # the t stands alone
        ("", []),
    ],
)
def test_words(text, scripts):
    assert [*word_scripts(text)] == scripts


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint('да')\n```", "```\nnever closed", "`code`", "$\\frac{ab}{cd}$", "$$abc\ndef$$", "\\[ab\\]",
        "\\(ab\\)", "\\alpha", "<think></think>", "https://example.org/page",
    ],
)  # fmt: skip
def test_what_is_in_no_language(text):
    assert [*word_scripts(prose(text))] == []


def test_prose_between_formulas_stays():
    assert prose("so $x$ is").split() == ["so", "is"]


def test_brackets_that_open_and_never_close_take_no_time():
    start = time.process_time()
    prose("\\[" * 30_000 + "\\(" * 30_000)
    assert time.process_time() - start < 30  # of CPU; without a bound it takes minutes
