r"""Numbers with their units, read exactly: no floats, no rounding.

`3/8`, `.375`, `\frac38`, `1 1/2`, `1,250.50`, `1 250`, `-$1,250`, `1.25e3`, `1.25 \times 10^3`, `50\%`,
`90^\circ`, `58 apples`, `5.4 \text{ cents}`, `2 million`, `0.\overline{3}`. A comma is never a decimal mark.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from gpocli.maths.brackets import TooLarge
from gpocli.maths.units import CURRENCIES, unit_name


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact number; `unit` is empty where none was written."""

    value: int | Fraction
    unit: str = ""


MAX_DIGITS = 400
"""A number with more digits, or with a larger power of ten, is too large to be read."""

# 18 digits, for longer ones are checked for their size.
_SIMPLE = re.compile(r"[\s*`]*(\$?)([+-]?\d{1,18})\1[\s*`.]*")
_HEDGE = re.compile(
    r"(?:(?:therefore|thus|hence|then|so|about|approximately|approx\.?|roughly|around|exactly|simply|just|only"
    r"|equal to|equals)(?![A-Za-z]),?|\\approx(?![A-Za-z])|=|:)\s*",
    re.IGNORECASE,
)
# `0,123` groups no thousands, and neither does `1 250/3`, which is a mixed number.
_DIGITS = r"(?:[1-9]\d{0,2}(?:,\d{3})+(?!\d)|[1-9]\d{0,2}(?:[ ]\d{3})+(?![\d/])|\d+)"
_DECIMAL = rf"(?:{_DIGITS}(?:\.\d*)?|\.\d+)"
_SIGNED = rf"[+-]?\s*{_DECIMAL}"
_NUMBER = re.compile(
    rf"""
    (?P<sign>[+-]|(?:negative|minus)\s)?\s*+ (?P<currency>[¤€£¥₹])?\s*+ (?P<inner>[+-])?\s*+
    (?:
        (?P<whole>\d+)(?:\s+(?P<over>\d+)\s*/\s*(?P<under>\d+)|\s*\\frac\{{(?P<up>\d+)\}}\{{(?P<down>\d+)\}})
      | \\frac\{{\s*(?P<numerator>{_SIGNED})\s*\}}\{{\s*(?P<denominator>{_SIGNED})\s*\}}
      | (?P<dividend>{_DECIMAL})\s*/\s*(?P<divisor>{_SIGNED})
      | (?P<head>\d*\.\d*)\\overline\{{(?P<period>\d+)\}}
      | 10\^\{{\s*(?P<power>[+-]?\d{{1,{MAX_DIGITS}}})\s*\}}
      | (?P<decimal>{_DECIMAL})
        (?:[eE](?P<e>[+-]?\d{{1,{MAX_DIGITS}}})(?!\w)|\s*(?:\\times|\\cdot|\*|x)\s*10\^\{{\s*(?P<ten>[+-]?\d{{1,{MAX_DIGITS}}})\s*\}})?
    )
    (?P<unit>.*)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALE = re.compile(r"\s*(?:\\text\{\s*)?(hundred|thousand|million|billion|trillion)(?![A-Za-z])\s*", re.IGNORECASE)


def simple_number(text: str) -> Quantity | None:
    """The whole number that an untidied `text` plainly is; None for all other texts. The fast way for most."""
    match = _SIMPLE.fullmatch(text)
    return Quantity(int(match[2])) if match else None


def read_number(text: str) -> Quantity | None:
    """The number that a tidied `text` is, with its unit; None when it is anything else or more than that.

    Raises `TooLarge` for one with more than `MAX_DIGITS` digits.
    """
    while hedge := _HEDGE.match(text):
        text = text[hedge.end() :]
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    try:
        value = _value(match)
    except ZeroDivisionError:
        return None
    value, rest = _scaled(value, match["unit"])
    unit = unit_name(rest)
    if unit is None:
        return None
    if match["currency"]:
        unit = unit or CURRENCIES[match["currency"]]
    # `-$-5` is 5: the two signs undo each other.
    negative = bool(match["sign"] and match["sign"] != "+") != (match["inner"] == "-")
    value = -value if negative else value
    return Quantity(value.numerator if value.denominator == 1 else value, unit)


def _value(match: re.Match[str]) -> Fraction:
    if match.start("unit") > MAX_DIGITS:  # before Python makes integers of them, which takes quadratic time
        raise TooLarge(f"a number of {match.start('unit')} characters")
    if match["whole"] is not None:
        part = Fraction(int(match["over"] or match["up"]), int(match["under"] or match["down"]))
        return int(match["whole"]) + part
    if match["numerator"] is not None:
        return _fraction(match["numerator"]) / _fraction(match["denominator"])
    if match["dividend"] is not None:
        return _fraction(match["dividend"]) / _fraction(match["divisor"])
    if match["period"] is not None:
        head, period = match["head"], match["period"]
        start = Fraction(head) if head != "." else Fraction(0)
        return start + Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(head.partition(".")[2]))
    exponent = int(match["e"] or match["ten"] or match["power"] or 0)
    if abs(exponent) > MAX_DIGITS:
        raise TooLarge(f"a power of ten of {exponent}")
    return _fraction(match["decimal"] or "1") * Fraction(10) ** exponent


def _fraction(digits: str) -> Fraction:
    return Fraction(digits.replace(",", "").replace(" ", ""))


def _scaled(value: Fraction, rest: str) -> tuple[Fraction, str]:
    scale = _SCALE.match(rest)
    if scale is None:
        return value, rest
    rest = rest[scale.end() :]
    return value * 10 ** _SCALES[scale[1].lower()], rest.removeprefix("}") if "{" in scale[0] else " " + rest
