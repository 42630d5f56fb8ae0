r"""Finding the answer in a text.

In this order, and the last one of its kind: `\boxed{x}`; `<answer>x</answer>`; "the answer is x" or
"answer: x" (up to the end of the sentence); `#### x` where x is a number, as in GSM8K; a line `A: x`; the whole text,
if it is one line. A number that merely stands last in a text is no answer, unless that is asked for.
"""

import re

from gpocli.maths.boxes import last_box
from gpocli.maths.brackets import MAX_LENGTH, TooLarge
from gpocli.maths.forms import Collection, Relation, Word
from gpocli.maths.number import read_number, simple_number
from gpocli.maths.phrases import after_last_phrase, after_letter, displayed
from gpocli.maths.reading import read
from gpocli.maths.tidy import tidy

_TAG, _END_TAG = "<answer>", "</answer>"
_HASHES = "####"
_LAST_NUMBER = re.compile(r"(?:(?<![\w)])[-+])?[$€£¥]?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?")
_WORDS = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,} [A-Za-z]{2,}")
_LINE = 300
"""Characters of the one line that a text without any mark of an answer may have."""
_NAME = 5
"""Words of a name that such a line may be; more are a sentence that states nothing."""


def stated_answer(text: str, *, last_number: bool = False) -> str | None:
    """The answer that a completion states, None if it states none; `last_number`: else its last number."""
    marked = _in_marks(text)
    if marked is not None:
        return marked
    sentence = _in_sentence(text)
    if sentence and not (last_number and _says_nothing(sentence)):
        return sentence
    if _HASHES in text and (number := _after_hashes(text)) is not None:
        return number
    for line in (after_letter(text), text.strip()):
        if line and _is_short(line) and not _says_nothing(line):
            return line
    numbers = _LAST_NUMBER.findall(sentence or text) if last_number else []
    return numbers[-1] if numbers else None


def gold_answer(gold: str) -> str:
    """The answer of a gold column: after the last `####` of a GSM8K solution, in the last box, or all of it."""
    _, hashes, rest = gold.rpartition(_HASHES)
    if hashes:
        return rest
    box = last_box(gold)
    return gold if box is None else box


def _in_marks(text: str) -> str | None:
    if (box := last_box(text)) is not None:
        return box
    return _last_tagged(text) if _END_TAG in text else None


def _in_sentence(text: str) -> str:
    # A search that takes a moment spares most texts the pattern.
    return after_last_phrase(text) if "nswer" in text or "NSWER" in text else ""


def _is_short(text: str) -> bool:
    if displayed(text) == text:
        return len(text) <= MAX_LENGTH
    return len(text) <= _LINE and "\n" not in text


def _says_nothing(text: str) -> bool:
    """Whether a line is no answer but a sentence, or what cannot be read."""
    try:
        form = read(text)
    except TooLarge:
        return False
    if isinstance(form, Relation) and not form.name:  # `so he has 3 + 4 = 7` is no equation
        return _WORDS.search(text) is not None
    parts = form.items if isinstance(form, Collection) else (form,)
    return form is None or any(isinstance(part, Word) and part.is_prose and part.words > _NAME for part in parts)


def _last_tagged(text: str) -> str | None:
    end = text.rfind(_END_TAG)
    start = text.rfind(_TAG, 0, end)
    return None if start < 0 else text[start + len(_TAG) : end]


def _after_hashes(text: str) -> str | None:
    """What follows the last `####` on its line, be it within a line, where that is a number; no deeper heading."""
    before, _, rest = text.rpartition(_HASHES)
    line = rest.partition("\n")[0].strip()
    if before.endswith("#") or not line or len(line) > _LINE:
        return None
    return line if simple_number(line) or read_number(tidy(line)) else None
