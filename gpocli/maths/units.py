r"""What stands behind a number and may be its unit: `%`, `^\circ`, `apples`, `\text{ km}/\text{h}`, `(apples)`."""

import re

CURRENCIES = {"¤": "dollar", "€": "euro", "£": "pound", "¥": "yen", "₹": "rupee"}

_NAMES = {
    "%": "percent", "pct": "percent", "percentage": "percent", "percents": "percent",
    "deg": "degree", "mm": "millimeter", "cm": "centimeter", "dm": "decimeter", "km": "kilometer",
    "in": "inch", "inche": "inch", "ft": "foot", "feet": "foot", "yd": "yard", "mi": "mile",
    "kg": "kilogram", "mg": "milligram", "gm": "gram", "lb": "pound", "lbs": "pound", "oz": "ounce",
    "ml": "milliliter", "cl": "centiliter", "hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute",
    "sec": "second", "secs": "second", "ms": "millisecond", "mph": "mile/hour", "kph": "kilometer/hour",
    "usd": "dollar", "eur": "euro", "gb": "gb", "mb": "mb", "kb": "kb", "hz": "hz", "am": "am", "pm": "pm",
}  # fmt: skip
# Where it is plain that a unit is meant; elsewhere `5 m` is a product.
_LETTERS = {"m": "meter", "s": "second", "h": "hour", "g": "gram", "l": "liter"}
_NUMERALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion "
    "dozen score"
)
_PARTS = (
    "half halve third fourth quarter fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth seventieth "
    "eightieth ninetieth hundredth thousandth millionth billionth trillionth"
)
_FORMULAS = (
    "and or nor plus minus times over but divided multiplied mod modulo sqrt sin cos tan cot csc log exp lim max "
    "gcd lcm det pi infinity squared cubed factorial choose to power base sum product root radical inverse reciprocal "
    "negative remainder repeating recurring point doubled tripled halved"
)
_DOUBTS = (
    "maybe perhaps possibly probably likely unlikely either neither not never no none wrong incorrect false if unless "
    "than less more fewer greater smaller larger least most above below under beyond except without is are was were be "
    "any instead rather"
)
_NOT_UNITS = frozenset(
    word + ending
    for word in f"{_NUMERALS} {_PARTS} {_FORMULAS} {_DOUBTS}".split()
    for ending in (("", "s", "es") if word in f"{_NUMERALS} {_PARTS}".split() else ("",))
)
_COMPARING = frozenset(("more", "fewer", "less"))
_MEASURES = frozenset("meter centimeter millimeter kilometer inch foot yard mile unit".split())
_JOINERS = frozenset(("a", "an", "at", "in", "of", "on"))
_DIMENSIONS = {"square": "2", "sq": "2", "cubic": "3", "cu": "3"}
_DEGREES = re.compile(r"\^\\circ\s*(?:\\text\{\s*)?([CFK])?\s*\}?")
_LABEL = re.compile(r"\s*+(/|\\cdot(?![A-Za-z])|)\s*+\\text\{([^{}]*(?:\{-?\d\})?)\}\s*(?:\^\{(-?\d)\})?")
_OVER = re.compile(r"\\frac\{\s*(\\text\{[^{}]*\}(?:\^\{-?\d\})?)\s*\}\{\s*(\\text\{[^{}]*\}(?:\^\{-?\d\})?)\s*\}")
_REMARK = re.compile(r"\((?:\\text\{)?\s*([A-Za-z][A-Za-z -]*?)\s*\}?\)")
_WORD = re.compile(r"([A-Za-z]+(?:[/-][A-Za-z]+)*)(?:\^\{(-?\d)\})?")
_MAX_WORDS = 4


def unit_name(text: str) -> str | None:
    r"""One name for the unit `text`, such as `inch^2` for `\text{ inches}^2`; "" for none.

    None when it is no unit but something that may change the number. Free words are at most four, and have three
    letters or more, so that `5 xy` is a product; three in the order of the alphabet, `5 abc`, are one too.
    """
    stripped = text.strip()
    if not stripped:
        return ""
    if stripped == "%":
        return "percent"
    if stripped in CURRENCIES:
        return CURRENCIES[stripped]
    if degrees := _DEGREES.fullmatch(stripped):
        return f"degree {degrees[1]}" if degrees[1] else "degree"
    if over := _OVER.fullmatch(stripped):
        stripped = f"{over[1]}/{over[2]}"
    if stripped.startswith("\\text"):
        return _labels(stripped)
    if remark := _REMARK.fullmatch(stripped):
        return _words(remark[1].split(), None, free=False)
    words = stripped.split()
    if text[0] != " " and words[0].partition("^")[0].lower() not in _NAMES:
        return None
    return _words(words, None, free=False) if len(words) <= _MAX_WORDS else None


def _labels(text: str) -> str | None:
    r"""The name of marked words, which may be several: `\text{ km}/\text{h}^2`."""
    name, place = "", 0
    while place < len(text):
        label = _LABEL.match(text, place)
        one = None if label is None else _words(label[2].split(), label[3], free=True)
        if label is None or one is None:
            return None
        name += ("/" if label[1] == "/" else " " if name and one else "") + one
        place = label.end()
    return name


def _words(words: list[str], power: str | None, *, free: bool) -> str | None:
    if len(words) > 1 and words[0].lower() in _COMPARING:  # `12 more apples` are 12
        words = words[1:]
    if words[:1] == ["of"]:  # `12 of the apples` too
        words = words[1:]
    names: list[str] = []
    for word in words:
        match = _WORD.fullmatch(word.strip(".,!"))
        if match is None or (power is not None and match[2]):
            return None
        name = match[1].lower()
        if name in ("squared", "cubed") and names and _singular(names[-1]) in _MEASURES:
            power = "2" if name == "squared" else "3"
            continue
        if not _may_be_unit(name, first=not names, free=free):
            return None
        names.append(name)
        power = match[2] or power
    names = [_singular(name, alone=free) for name in names]
    if names and (dimension := _DIMENSIONS.get(names[0])):
        names, power = names[1:], dimension
    return " ".join(names).replace(" per ", "/") + (f"^{power}" if power else "")


def _may_be_unit(word: str, *, first: bool, free: bool) -> bool:
    if word in _NAMES or (word in _JOINERS and not first):
        return True
    if not _NOT_UNITS.isdisjoint(re.split("[/-]", word)):
        return False
    looks_like_product = len(word) == 3 and word[0] < word[1] < word[2]
    return free or (len(word) >= 3 and not looks_like_product)


def _singular(word: str, *, alone: bool = False) -> str:
    over, slash, under = word.partition("/")
    if slash:
        return f"{_singular(over, alone=True)}/{_singular(under, alone=True)}"
    base = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    known = _NAMES.get(word) or _NAMES.get(base, base)
    return _LETTERS.get(known, known) if alone else known
