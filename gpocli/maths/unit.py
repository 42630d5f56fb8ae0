"""The unit behind a number: a sign, an abbreviation, or a few words."""

import re

_NAMES = {
    "%": "percent", "pct": "percent", "percentage": "percent", "percents": "percent",
    "deg": "degree", "mm": "millimeter", "cm": "centimeter", "dm": "decimeter", "km": "kilometer",
    "in": "inch", "inche": "inch", "ft": "foot", "feet": "foot", "yd": "yard", "mi": "mile",
    "kg": "kilogram", "mg": "milligram", "gm": "gram", "lb": "pound", "lbs": "pound", "oz": "ounce",
    "ml": "milliliter", "cl": "centiliter", "hr": "hour", "hrs": "hour", "min": "minute", "mins": "minute",
    "sec": "second", "secs": "second", "ms": "millisecond", "mph": "mile/hour", "kph": "kilometer/hour",
    "usd": "dollar", "eur": "euro", "gb": "gb", "mb": "mb", "kb": "kb", "hz": "hz", "am": "am", "pm": "pm",
}  # fmt: skip
_NOT_UNITS = frozenset(
    "and or not plus minus times over but divided multiplied mod sqrt sin cos tan cot csc log exp lim max "
    "gcd lcm det pi infinity zero one two three four five six seven eight nine ten eleven twelve dozen half "
    "third quarter squared cubed factorial choose to power base sum product root".split()
)
_JOINERS = frozenset(("a", "an", "at", "in", "of", "on"))
_DEGREES = re.compile(r"\^\\circ\s*(?:\\text\{\s*)?([CFK])?\s*\}?")
_LABEL = re.compile(r"\\text\{([^{}]*(?:\{-?\d\})?)\}\s*(?:\^\{(-?\d)\})?")
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
    if degrees := _DEGREES.fullmatch(stripped):
        return f"degree {degrees[1]}" if degrees[1] else "degree"
    if label := _LABEL.fullmatch(stripped):
        return _words(label[1].split(), label[2], free=True)
    words = stripped.split()
    if text[0] != " " and words[0].partition("^")[0].lower() not in _NAMES:
        return None
    return _words(words, None, free=False) if len(words) <= _MAX_WORDS else None


def _words(words: list[str], power: str | None, *, free: bool) -> str | None:
    names: list[str] = []
    for word in words:
        match = _WORD.fullmatch(word.strip(".,!"))
        if match is None or (power is not None and match[2]):
            return None
        name = match[1].lower()
        if not free and not _may_be_unit(name, first=not names):
            return None
        names.append(name)
        power = match[2] or power
    return _named(names, power)


def _may_be_unit(word: str, *, first: bool) -> bool:
    if word in _NAMES or (word in _JOINERS and not first):
        return True
    looks_like_product = len(word) == 3 and word[0] < word[1] < word[2]
    return len(word) >= 3 and word not in _NOT_UNITS and not looks_like_product


def _named(words: list[str], power: str | None) -> str:
    words = [_singular(word) for word in words]
    if words and (dimension := {"square": "2", "sq": "2", "cubic": "3", "cu": "3"}.get(words[0])):
        words, power = words[1:], dimension
    name = " ".join(words)
    return f"{name}^{power}" if power else name


def _singular(word: str) -> str:
    base = word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
    return _NAMES.get(word) or _NAMES.get(base, base)
