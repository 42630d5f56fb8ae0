"""The words of a text and the scripts they are written in; no dictionary, so languages of one script look alike."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

LANGUAGES = {
    **dict.fromkeys("cs da de en es fi fr hu id it nl no pl pt ro sv tr vi".split(), frozenset({"LATIN"})),
    **dict.fromkeys("bg ru uk".split(), frozenset({"CYRILLIC"})),
    **dict.fromkeys("ar fa ur".split(), frozenset({"ARABIC"})),
    **dict.fromkeys("hi mr ne".split(), frozenset({"DEVANAGARI"})),
    "bn": frozenset({"BENGALI"}),
    "el": frozenset({"GREEK"}),
    "he": frozenset({"HEBREW"}),
    "ja": frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    "ko": frozenset({"HANGUL"}),
    "ta": frozenset({"TAMIL"}),
    "th": frozenset({"THAI"}),
    "zh": frozenset({"CJK"}),
}
"""The scripts in which a language is written, as Unicode names them, by its code of ISO 639-1."""

_SPACELESS = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI"})
"""Scripts that do not part words: each of their letters counts as one."""

_NO_LANGUAGE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|\\\[.{,1000}?\\\]|\\\(.{,1000}?\\\)|\\[A-Za-z]+"
    r"|</?[A-Za-z_]{1,30}>|https?://\S+",
    re.DOTALL,  # and bounded, for a text may open thousands of brackets and close none
)
"""Code, formulas, commands of LaTeX, tags and addresses."""

_LETTERS = re.compile(r"[A-Za-z\x80-\U0010ffff]+")


def prose(text: str) -> str:
    """The text without code, formulas, tags and addresses, which are the same in every language."""
    return _NO_LANGUAGE.sub(" ", text)


def word_scripts(text: str) -> Iterator[str]:
    """The script of each word: a run of letters of one script, or one letter where words are not parted.

    Single letters of the other scripts are left out: they are names of variables as often as words.
    """
    for run in _LETTERS.findall(unicodedata.normalize("NFKC", text)):
        yield from _words("LATIN", len(run)) if run.isascii() else _mixed_scripts(run)


def _mixed_scripts(run: str) -> Iterator[str]:
    script, length = "", 0
    for letter in run:
        here = _script(letter)
        if here == script or (here == "COMBINING" and script):
            length += 1
            continue
        yield from _words(script, length)
        script, length = here, 1
    yield from _words(script, length)


def _words(script: str, length: int) -> list[str]:
    if script in _SPACELESS:
        return [script] * length
    return [script] if script and length > 1 else []


@lru_cache(maxsize=65536)
def _script(letter: str) -> str:
    """The script of a letter as Unicode names it, "COMBINING" for accents, nothing for what is no letter."""
    if unicodedata.category(letter)[0] not in "LM":
        return ""
    return unicodedata.name(letter, "").split(" ")[0]
