"""One spelling for the many that LaTeX, Markdown and Unicode have for the same answer."""

import re

from gpocli.maths.brackets import matching
from gpocli.maths.fonts import without_fonts

_SIGNS = str.maketrans(
    {
        "−": "-", "–": "-", "‐": "-", "‑": "-", "﹣": "-", "－": "-", "＋": "+", "＝": "=",
        "×": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ", "∙": r"\cdot ", "÷": "/", "∕": "/", "⁄": "/",
        "π": r"\pi ", "θ": r"\theta ", "∞": r"\infty ", "°": r"^\circ ", "±": r"\pm ", "∪": r"\cup ",
        "∈": r"\in ", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "√": r"\sqrt ",
        "²": "^2", "³": "^3", "½": r"\frac12", "¼": r"\frac14", "¾": r"\frac34", "％": "%",
        "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2007": " ", "~": " ", "\t": " ", "\n": " ", "\r": " ",
        "“": '"', "”": '"', "‘": "'", "’": "'", "`": None,
    }
)  # fmt: skip
ROW_BREAK = "↵"
"""Stands for the LaTeX command of two backslashes in a tidied text."""

_WRAPPERS = (
    ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("**", "**"), ("__", "__"), ("*", "*"),
    ('"', '"'), ("'", "'"), ("_", "_"),
)  # fmt: skip
# In this order: what one leaves, the next may look for.
_REWRITES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<!\w)\*\*(?=\S)([^*]+?)\*\*(?!\w)", r"\1"),
        (r"^[*_]{2}|(?<=\S)\*\*$", ""),
        (r",\\!\s*", ","),  # and takes the space away again
        (r"\{,\}", ","),  # how LaTeX writes a comma without the space behind it
        (r"\\!", ""),
        (r"\\(?:[,;:> ]|(?:quad|qquad|displaystyle|textstyle|limits)(?![A-Za-z]))", " "),
        (r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])\.?", ""),
        (r"\\(?:[dtc]frac)(?![A-Za-z])", r"\\frac"),
        # Letters that are units behind a number or another unit.
        (r"(?:(?<=\d)|(?<=\d )|(?<=\}/)|(?<=\} /)|(?<=frac\{)|(?<=\}\{))\\mathrm\s?\{\s?([mshgl])\s?\}", r"\\text{\1}"),
        (r"\\math(?:rm|bf|it|sf)\s*\{\s*([A-Za-z])\s*\}", r"\1"),
        (r"\\(?:mbox|mathrm|mathbf|mathit|operatorname|text(?:bf|rm|it|sf|up|normal))\s*\{", r"\\text{"),
        (r"\\text\s+\{", r"\\text{"),
        (r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))|\\degree(?![A-Za-z])", r"^\\circ"),
        (r"\\%", "%"),
        (r"\\leq?(?:slant)?(?![A-Za-z])|<=", r"\\le "),
        (r"\\geq?(?:slant)?(?![A-Za-z])|>=", r"\\ge "),
        (r"\\neq?(?![A-Za-z])|!=", r"\\ne "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"\\(?:lbrace|lcb)(?![A-Za-z])", r"\\{"),
        (r"\\(?:rbrace|rcb)(?![A-Za-z])", r"\\}"),
        (r"\\l?vert(?![A-Za-z])|\\rvert(?![A-Za-z])|\\mid(?![A-Za-z])", "|"),
        (r"\\ast(?![A-Za-z])", "*"),
        (r"\+/-|^\+-(?=\s*\d)", r"\\pm "),
        (r"(?<=[\w)}])\s*\*\*\s*(?=[\w({+-])", "^"),
        (r"\s+", " "),
    )
)
_FRACTION = re.compile(r"\\frac(?![A-Za-z])")
_ROOT = re.compile(r"\\sqrt(?![A-Za-z])(?:\s*\[[^\[\]]*\])?|(?<![\\A-Za-z])sqrt(?![A-Za-z])")
_SUBSCRIPT = re.compile(r"(?<=\w)_(?=[\w{])")
_POWER = re.compile(r"\^(?!\s*\\circ)")
_TOKEN = re.compile(r"\\[A-Za-z]+(?:\s*\{[^{}]*\})*|[+-]?(?:\d+(?:\.\d+)?|[A-Za-z])|[^\s{}]")
_SINGLE = re.compile(r"\\[A-Za-z]+(?:\s*\{[^{}]*\})*|[^\s{}]")


def tidy(text: str) -> str:
    """`text` without decoration, in one spelling: `**$\\dfrac12$**.` becomes `\\frac{1}{2}`."""
    # First, for in `\\[2pt]` there is no displayed formula.
    text = _unwrapped(text.replace("\\\\", ROW_BREAK).translate(_SIGNS))
    text = without_fonts(_without_math_delimiters(text))
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    if "\\frac" in text:
        text = _braced(text, _FRACTION, 2, _SINGLE)
    if "sqrt" in text:
        text = _braced(text, _ROOT, 1, _SINGLE)
    if "_" in text:
        text = _braced(text, _SUBSCRIPT, 1, _TOKEN)
    if "^" in text:
        text = _braced(text, _POWER, 1, _TOKEN)
    return _unwrapped(text)


def _unwrapped(text: str) -> str:
    before = None
    while text != before:  # `**$5$**.` has them in any order
        before = text
        text = text.strip()
        while text[-1:] in (".", ",", ";", ":") and text[-2:-1] != "\\":
            text = text[:-1].rstrip()
        for opening, closing in _WRAPPERS:
            inside = text[len(opening) : -len(closing)]
            if (
                len(text) > len(opening) + len(closing)
                and text.startswith(opening)
                and text.endswith(closing)
                and opening not in inside
                and not inside.endswith("\\")
            ):
                text = inside
                break
    return text


def _without_math_delimiters(text: str) -> str:
    """Drop `$` that stand around mathematics; `\\$`, and a `$` without a partner, are money: `¤`."""
    text = text.replace("\\$", "¤").replace(r"\(", " ").replace(r"\)", " ")
    return text.replace("$", " " if text.count("$") % 2 == 0 else "¤")


def _braced(text: str, command: re.Pattern[str], arguments: int, token: re.Pattern[str]) -> str:
    """Put braces around the arguments of each `command`: `\\frac43` becomes `\\frac{4}{3}`."""
    for match in reversed(list(command.finditer(text))):  # from the last, so that the places before it stay right
        name = match.group()
        place = match.end()
        groups = []
        for _ in range(arguments):
            while text[place : place + 1] == " ":
                place += 1
            if text[place : place + 1] in ("{", "(") and (text[place] == "{" or arguments == 1):
                end = matching(text, place)
                if end is None:
                    return text
                groups.append("{" + text[place + 1 : end].strip() + "}")
                place = end + 1
            elif found := token.match(text, place):
                groups.append("{" + found.group() + "}")
                place = found.end()
        if len(groups) == arguments:
            name = "\\" + name if name.startswith("sqrt") else name
            text = text[: match.start()] + name + "".join(groups) + text[place:]
    return text
