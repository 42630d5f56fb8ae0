r"""Finding `\boxed{x}` in a text; `\fbox{x}` is one too."""

import re

from gpocli.maths.brackets import MAX_LENGTH, matching
from gpocli.maths.number import simple_number

_BOX = "\\boxed"
_BRACES = re.compile(r"\\boxed\s*+\{|\\.|[{}]", re.DOTALL)
_BARE_BOX = re.compile(r"\\boxed\s++([^\s{}]+)")
# The sign of what is in a box: `= -\boxed{5}`, neither the second operand of `3 - \boxed{5}` nor a list item.
_SIGN = re.compile(r"(?:^|\n|[=:$(\[{,] ?|\b[A-Za-z]{2,} )[-−]$|(?:[=:$(\[{,] ?|\b[A-Za-z]{2,} )[-−] $")


def last_box(text: str) -> str | None:
    """The content of the last box that is closed, with a minus in front of the box; a nested box is a box."""
    text = _with_one_name(text)
    start = text.rfind(_BOX)  # most texts have one box, which closes: no need to look at every brace
    if start < 0:
        return None
    bare = _BARE_BOX.match(text, start)
    if bare:
        return _signed(text, start, bare[1].rstrip("$.,;"))
    brace = start + len(_BOX)
    if text[brace : brace + 1] == "{":
        end = matching(text[: brace + MAX_LENGTH + 2], brace)
        if end is not None:
            return _signed(text, start, text[brace + 1 : end])
    found = _closed_boxes(text)
    return None if not found else _signed(text, *found[-1])


def _with_one_name(text: str) -> str:
    return text.replace("\\fbox", _BOX) if "\\fbox" in text else text


def _closed_boxes(text: str) -> list[tuple[int, str]]:
    """Where each closed box begins and what it holds, in one pass over all braces, in the order of their starts."""
    opened: list[tuple[int, int] | None] = []
    found: list[tuple[int, str]] = []
    for match in _BRACES.finditer(text):
        token = match.group()
        if token.startswith(_BOX):
            opened.append((match.start(), match.end()))
        elif token == "{":
            opened.append(None)
        elif token == "}" and opened and (start := opened.pop()) is not None:  # without `opened` it is a stray one
            found.append((start[0], text[start[1] : match.start()]))
    return sorted(found)


def _signed(text: str, start: int, content: str) -> str:
    if not _SIGN.search(text[max(0, start - 24) : start]):
        return content
    return f"-{content}" if simple_number(content) and content.strip()[:1] not in "+-" else f"-({content})"
