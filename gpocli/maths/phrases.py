"""Answers that a sentence states: "the answer is x", "Answer: x", a line "A: x" at the end of a question."""

import re

from gpocli.maths.brackets import MAX_LENGTH

# Possessive and bounded repeats: a million spaces behind "answer" take no longer than a million letters.
_PHRASE = re.compile(
    r"\banswers?\b(?:[*_\s]*+[:=]++|[^.\n:=]{0,60}?\b(?:is|are|equals|(?:would|must|will|should)[ ]be)\b(?:[*_\s]*+:)?)"
    r"(?:[*_]+(?=\s|$))?\s*+"
    r"|^[#*_ \t]*+(?:(?:the|final)\s++)*+answer[*_ \t]*+$\s*+",
    re.IGNORECASE | re.MULTILINE,
)
_LINE = re.compile(r"^[*_ \t]*+(?:A|Ans)[*_]{0,2}:[*_ \t]*+(\S[^\n]*)$", re.MULTILINE)
_OTHER_CHOICE = re.compile(r"^[*_ \t]*+B[*_]{0,2}:", re.MULTILINE)
_SENTENCE_END = re.compile(
    r"[.?](?=\s|$)|!(?=\s{0,9}(?:$|[A-Z\n]))|\n|(?:,|(?<!\s))\s{1,9}(?:[Bb]ecause|since|which|as|so|where)\s"
)
_CLAUSE_START = re.compile(r"[,;:.!?\n]|\b(?:so|thus|hence|therefore|but|then|and)\b", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    r"n['’]t\b|\b(?:not|never|cannot|nobody|nor|neither|doubt|doubts|doubtful|false|wrong|incorrect|untrue|if|whether"
    r"|suppose|assume|assuming|unless|unlikely|impossible|almost)\b",
    re.IGNORECASE,
)
_NOT_MEANT = re.compile(r"\bnot (?:hard|difficult|surprising)\b|\b(?:no|without)(?: a)? doubt\b", re.IGNORECASE)
_CLAUSE = 120
"""Characters in front of a phrase in which it may be taken back."""


def after_last_phrase(text: str) -> str:
    """What follows the last phrase that states an answer and is neither denied nor asked; "" without one."""
    ends = [(match.start(), match.end()) for match in _PHRASE.finditer(text)]
    for start, end in reversed(ends):
        if _is_taken_back(text[max(0, start - _CLAUSE) : start]):
            continue
        rest = text[end : end + MAX_LENGTH + 100]
        if (formula := displayed(rest)) is not None:
            return formula
        stop = _SENTENCE_END.search(rest)
        if stop is None:
            return rest
        if stop.group() != "?":
            return rest[: stop.start()]
    return ""


def _is_taken_back(before: str) -> bool:
    clause = _CLAUSE_START.split(before)[-1]
    return _TAKEN_BACK.search(_NOT_MEANT.sub("", clause)) is not None


def after_letter(text: str) -> str:
    """What the last line `A: x` says, where `A` is no choice beside a `B`; "" without one."""
    lines = _LINE.findall(text)
    if not lines or _OTHER_CHOICE.search(text):
        return ""
    line: str = lines[-1][:MAX_LENGTH]
    stop = _SENTENCE_END.search(line)
    return line[: stop.start()] if stop else line


def displayed(text: str) -> str | None:
    """The displayed formula that `text` begins with."""
    for opening, closing in (("$$", "$$"), ("\\[", "\\]")):
        if text.startswith(opening):
            end = text.find(closing, len(opening))
            return None if end < 0 else text[: end + len(closing)]
    return None
