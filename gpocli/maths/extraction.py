r"""Finding the answer in a text.

In this order, and the last one of its kind: `\boxed{x}`; `<answer>x</answer>`; "the answer is x" or
"answer: x" (up to the end of the sentence); `#### x` where x is a number, as in GSM8K; the whole text, if it is
one line. A number that merely stands last in a text is no answer, unless that is asked for.
"""

import re

from gpocli.maths.brackets import MAX_LENGTH, matching
from gpocli.maths.number import read_number, simple_number
from gpocli.maths.tidy import tidy

_BOX = "\\boxed"
_BRACES = re.compile(r"\\boxed\s*\{|\\.|[{}]", re.DOTALL)
_BARE_BOX = re.compile(r"\\boxed\s+([^\s{}]+)")
_TAG, _END_TAG = "<answer>", "</answer>"
_PHRASE = re.compile(
    r"\banswers?\b[*_\s]*(?:[:=]+|[^.\n:=]{0,60}?\b(?:is|are|equals)\b(?:[*_\s]*:)?)(?:[*_]+(?=\s|$))?\s*"
    r"|^[#*_ \t]*(?:(?:the|final)\s+)*answer[*_ \t]*$\s*",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.?](?=\s|$)|\n|,?\s+(?:because|since|which|as|so|where)\s", re.IGNORECASE)
_DISPLAYS = (("$$", "$$"), ("\\[", "\\]"))
_HASHES = re.compile(r"^####[ \t]*(\S.*)$", re.MULTILINE)
_LAST_NUMBER = re.compile(r"(?:(?<![\w)])[-+])?[$€£¥]?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?")
_LINE = 300
"""Characters of the one line that a text without any mark of an answer may have."""


def stated_answer(text: str, *, last_number: bool = False) -> str | None:
    """The answer that a completion states, None if it states none; `last_number`: else its last number."""
    if _BOX in text and (box := _last_box(text)) is not None:
        return box
    if _END_TAG in text and (tagged := _last_tagged(text)) is not None:
        return tagged
    if "nswer" in text or "NSWER" in text:  # a search that takes a moment spares most texts the pattern
        phrase = _after_last_phrase(text)
        if phrase:
            return phrase
    if "####" in text and (number := _after_hashes(text)) is not None:
        return number
    line = text.strip()
    if line and len(line) <= _LINE and "\n" not in line:
        return line
    if _displayed(line) == line and len(line) <= MAX_LENGTH:
        return line
    numbers = _LAST_NUMBER.findall(text) if last_number else []
    return numbers[-1] if numbers else None


def gold_answer(gold: str) -> str:
    """The answer of a gold column: after the last `####` of a GSM8K solution, in the last box, or all of it."""
    _, hashes, rest = gold.rpartition("####")
    if hashes:
        return rest
    box = _last_box(gold) if _BOX in gold else None
    return gold if box is None else box


def _last_box(text: str) -> str | None:
    """The content of the last box that is closed; a nested box is a box."""
    start = text.rfind(_BOX)  # most texts have one box, which closes: no need to look at every brace
    bare = _BARE_BOX.match(text, start)
    if bare:
        return bare[1].rstrip("$.,;")
    brace = start + len(_BOX)
    if text[brace : brace + 1] == "{":
        end = matching(text[: brace + MAX_LENGTH + 2], brace)
        if end is not None:
            return text[brace + 1 : end]
    return _last_closed_box(text)


def _last_closed_box(text: str) -> str | None:
    """The same in one pass over all braces, for texts whose last box stays open or is very long."""
    opened: list[int | None] = []
    last: tuple[int, int] | None = None
    for match in _BRACES.finditer(text):
        token = match.group()
        if token.startswith(_BOX):
            opened.append(match.end())
        elif token == "{":
            opened.append(None)
        elif token == "}" and opened:  # without `opened` it is a stray one
            start = opened.pop()
            if start is not None and (last is None or start > last[0]):
                last = (start, match.start())
    return None if last is None else text[last[0] : last[1]]


def _last_tagged(text: str) -> str | None:
    end = text.rfind(_END_TAG)
    start = text.rfind(_TAG, 0, end)
    return None if start < 0 else text[start + len(_TAG) : end]


def _after_last_phrase(text: str) -> str:
    end = None
    for match in _PHRASE.finditer(text):
        end = match.end()
    if end is None:
        return ""
    rest = text[end:]
    if (displayed := _displayed(rest)) is not None:
        return displayed
    stop = _SENTENCE_END.search(rest)
    return rest[: stop.start()] if stop else rest


def _displayed(text: str) -> str | None:
    """The displayed formula that `text` begins with."""
    for opening, closing in _DISPLAYS:
        if text.startswith(opening):
            end = text.find(closing, len(opening))
            return None if end < 0 else text[: end + len(closing)]
    return None


def _after_hashes(text: str) -> str | None:
    lines = _HASHES.findall(text)
    if not lines or len(lines[-1]) > _LINE:
        return None
    line: str = lines[-1]
    return line if simple_number(line) or read_number(tidy(line)) else None
