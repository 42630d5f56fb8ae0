r"""Taking away commands that change how a number or formula looks and not what it is: `\mathbf{42}`, `\text{42}`."""

import re

from gpocli.maths.brackets import matching

# What only colours, sizes or marks what is in the next braces, or all that follows.
_MARKS = re.compile(
    r"\\(?:(?:textcolor|color|colorbox)\s*\{[A-Za-z]*\}"
    r"|(?:bf|it|rm|sf|tt|boldmath|tiny|small|normalsize|large|Large|LARGE|huge|Huge|bfseries)(?![A-Za-z])\s?)"
)
_FONT = re.compile(
    r"\\(?:(?P<marks>boldsymbol|bm|pmb|bold|underline)"
    r"|(?P<maths>math(?:bf|it|sf|tt|rm|normal))"
    r"|mbox|text(?:bf|rm|it|sf|tt|up|md|normal)?)\s?\{"
)
_NUMBER = re.compile(r"\s*+[-+−]?\s*+[$¤€£(]?\s*+[-+−]?\.?\d")
_OPERATION = re.compile(r"[\d+=^/]|\\(?:d|t)?frac(?![A-Za-z])|\\sqrt(?![A-Za-z])")
_LONG_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3}")
_CHOICES = re.compile(r"\s*[A-Z](?:\s?,\s?[A-Z]){1,25}\s*")


def without_fonts(text: str) -> str:
    """`text` with numbers and formulas that stand in no font; words that are marked as text stay so."""
    if "\\" not in text:
        return text
    text = _MARKS.sub("", text)
    for match in reversed(list(_FONT.finditer(text))):  # from the last, so that the places before it stay right
        end = matching(text, match.end() - 1)
        if end is None:
            continue
        content = text[match.end() : end]
        if _is_mathematics(match, content):
            inside = content.strip().rstrip(".") if end == len(text) - 1 else content.strip()
            text = text[: match.start()] + _joined(text[: match.start()], inside, text[end + 1 :]) + text[end + 1 :]
    return text


def _is_mathematics(font: re.Match[str], content: str) -> bool:
    if font["marks"]:
        return True
    if font["maths"] and _OPERATION.search(content) and not _LONG_WORD.search(content):
        return True
    return bool(_NUMBER.match(content) or _CHOICES.fullmatch(content))


def _joined(before: str, inside: str, after: str) -> str:
    r"""`inside`, in braces where without them it would grow into its neighbours, as in `2\mathbf{4}`."""
    grows = before[-1:].isalnum() or before[-1:] in ("}", "^", "_", ")")
    grows = grows or after[:1].isalnum() or after[:1] in ("{", "^", "_", "!")
    return "{" + inside + "}" if grows else inside
