"""The letter of a multiple-choice answer, as `C`, `(C)`, `C. 42`, `**C**` and `option C: 42` say it."""

import re

_DRESS = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|boxed)\s*\{|[{}*$\\]")
_LETTER = r"[(\[]([A-Za-z])[)\]]|([A-Z])(?=\s*$|[.:)])|([a-z])(?=[.\s]*$|\))"
_FIRST = re.compile(rf"\s*(?:(?i:option|choice|answer)\s*:?\s*)?(?:{_LETTER})", re.ASCII)
_ANY = re.compile(r"[(\[]([A-Z])[)\]]|(?<![\w.])([A-Z])[.:)]", re.ASCII)
_LONGEST = 1000
"""Characters of a choice with its text; what is longer names none."""


def choice_letter(text: str) -> str | None:
    """The capital letter that a stated answer chooses; None where it chooses none, or names several."""
    if len(text) > _LONGEST:
        return None
    plain = _DRESS.sub(" ", text)
    found = _FIRST.match(plain)
    if found is None:
        return None
    letter = next(group for group in found.groups() if group).upper()
    named = {one or other for one, other in _ANY.findall(plain)} | {letter}
    return letter if len(named) == 1 else None
