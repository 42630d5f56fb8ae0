"""Equality of expressions by algebra. Slow, and not safe against hostile input: it runs in a process of its own.

`python -m gpocli.maths.symbolic` reads one JSON list `[seconds, function, *arguments]` a line, and writes one JSON
value a line: true, false, or null for what it will not compute. Whoever started it kills it when it takes too long;
if that one is gone, its own alarm does.

math-verify's parser, latex2sympy2_extended, reads the LaTeX. What math-verify does around it is not used: it drops
units, picks single numbers out of what it cannot read, takes `R` for `r`, and compares so loosely that `1 - 1/e`
and `1 + 1/e` are equal. Here two expressions are equal when their difference is zero to hundreds of digits, and
where they have variables, at every one of several points.
"""

import contextlib
import json
import logging
import random
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import sympy
from latex2sympy2_extended.latex2sympy2 import ConversionConfig, latex2sympy
from latex2sympy2_extended.sets import FiniteSet
from sympy.core.cache import clear_cache
from sympy.core.function import AppliedUndef

POINTS = 6
"""Values of the variables at which two expressions are compared."""
DIGITS = 40
MAX_DIGITS = 400
"""Significant digits of a difference that are asked for, and how many are computed at most to get them."""
MAX_BITS = 100_000
"""Size of the powers and factorials that are computed."""
MEMORY_LIMIT = 4 * 1024**3
"""Bytes of address space, so that an answer with a billion digits fails rather than fills the machine."""
WARM_UP = (r"\frac{\sqrt{2}}{2}", "x^{2}-3x", r"\sin (x)")
"""What is compared before the first question, so that loading the grammar is not charged to a row."""

_AS_WRITTEN = ConversionConfig(lowercase_symbols=False)
_DECIMAL = re.compile(r"(?<![\w.])(\d*)\.(\d+)|(?<![\w.])(\d+)\.(?!\d)")
_DEGREES = re.compile(r"(\d+|(?<![\\A-Za-z])[A-Za-z]|\\[a-z]+)\s*\^\\circ")
_FLIPPED = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le", "=": "=", r"\ne": r"\ne"}


class Unreadable(Exception):
    """The text is no expression."""


class TooMuch(Exception):
    """Computing it would take too long."""


class _Overtime(BaseException):
    """The seconds of a question are over; nothing that sympy catches."""


def is_value(latex: str) -> bool:
    """Whether `latex` can be read as one expression."""
    try:
        _parsed(latex)
    except Unreadable:
        return False
    return True


def same_value(first: str, second: str) -> bool:
    """Whether two expressions are equal wherever both are defined; False when one cannot be read."""
    try:
        mine, other = _parsed(first), _parsed(second)
    except Unreadable:
        return False
    return mine == other or _vanishes(mine - other)  # `simplify` may take minutes


def same_relation(
    first_sides: list[str], first_signs: list[str], second_sides: list[str], second_signs: list[str]
) -> bool:
    """Whether two relations (or chains of them) say the same; False when one cannot be read.

    They do when the differences of their sides are the same up to a constant factor, and the signs agree with
    the sign of that factor.
    """
    try:
        first = [_parsed(left) - _parsed(right) for left, right in pairwise(first_sides)]
        second = [_parsed(left) - _parsed(right) for left, right in pairwise(second_sides)]
    except Unreadable:
        return False
    same_way = zip(first, first_signs, second, second_signs, strict=True)
    turned = zip(first, first_signs, reversed(second), reversed(second_signs), strict=True)
    return all(_same_link(*link) for link in same_way) or (len(first) > 1 and all(_same_link(*link) for link in turned))


def is_near(latex: str, number: str, distance: str) -> bool:
    """Whether an expression is a real number less than `distance` away from `number`; False when it cannot be read."""
    try:
        expression = _parsed(latex)
    except Unreadable:
        return False
    if expression.free_symbols:
        return False
    away = sympy.N(expression - sympy.Rational(number), DIGITS)
    return bool(away.is_real) and bool(abs(away) < sympy.Rational(distance))


def _same_link(first: sympy.Expr, sign: str, second: sympy.Expr, other_sign: str) -> bool:
    factor = None
    for values in _points(first, second):
        mine, other = first.subs(values), second.subs(values)
        if _is_zero(mine) or _is_zero(other):
            return False
        ratio = mine / other
        if factor is not None and not _is_zero(ratio - factor):
            return False
        factor = ratio
    if factor is None or not first.free_symbols:
        return False
    size = sympy.N(factor, DIGITS)
    return bool(size.is_real) and sign == (other_sign if size > 0 else _FLIPPED.get(other_sign))


def _vanishes(difference: sympy.Expr) -> bool:
    if difference.has(AppliedUndef):  # f(x) has no value at a point
        return bool(sympy.expand(difference) == 0)
    if not difference.free_symbols:
        return _is_zero(difference)
    compared = 0
    for values in _points(difference):
        at_point = difference.subs(values)
        if at_point.has(sympy.nan, sympy.zoo, sympy.oo):  # not defined there, as (x-1)/(x-1) at 1
            continue
        if not _is_zero(at_point):
            return False
        compared += 1
    return compared > POINTS // 2


def _points(*expressions: sympy.Expr) -> list[dict[sympy.Symbol, sympy.Rational]]:
    """The same few values for the same variables, of both signs and of no special kind."""
    names = sorted({symbol for expression in expressions for symbol in expression.free_symbols}, key=str)
    points = []
    for seed in range(POINTS):
        draw = random.Random(seed)
        # Odd numbers over a prime: where no polynomial, root or sine that somebody writes down happens to vanish.
        points.append({name: sympy.Rational(draw.randrange(-4001, 4001, 2), 1009) for name in names})
    return points


def _is_zero(expression: sympy.Expr) -> bool:
    """Whether a number is zero: exactly where it is rational, else to `MAX_DIGITS` digits of its terms."""
    number = expression.doit()
    _check_cost(number)
    if number.is_Rational:
        return bool(number == 0)
    if number.has(sympy.nan, sympy.zoo, sympy.oo):
        return False
    # A precision of 1 is how sympy marks a number of which no digit is known: zero, as far as was computed.
    value = number.evalf(DIGITS, maxn=MAX_DIGITS)
    return all(part == 0 or (part.is_Float and part._prec == 1) for part in value.as_real_imag())


@lru_cache(maxsize=1024)
def _parsed(latex: str) -> sympy.Expr:
    text = _DEGREES.sub(r"(\1 \\cdot \\frac{\\pi}{180})", _DECIMAL.sub(_exact_decimal, latex))
    if "\\circ" in text:  # the parser would drop it
        raise Unreadable(latex)
    try:
        expression = latex2sympy(text, is_real=True, normalization_config=None, conversion_config=_AS_WRITTEN)
    except Exception as error:  # the parser has no error type of its own
        raise Unreadable(latex) from error
    if not isinstance(expression, sympy.Expr) or isinstance(expression, FiniteSet) or expression.has(sympy.Derivative):
        raise Unreadable(latex)
    _check_cost(expression)
    # Symbols that the parser calls real are taken for plain ones, and `i` for what it is in an answer.
    names = {symbol: sympy.I if symbol.name == "i" else sympy.Symbol(symbol.name) for symbol in expression.free_symbols}
    expression = expression.xreplace(names)
    if not expression.free_symbols and expression.doit().has(sympy.nan, sympy.zoo):
        raise Unreadable(latex)
    return expression


def _exact_decimal(match: re.Match[str]) -> str:
    if match[3]:
        return match[3]
    return rf"\frac{{{match[1] + match[2]}}}{{1{'0' * len(match[2])}}}"


def _check_cost(expression: Any) -> None:
    """Raise `TooMuch` for powers and factorials that would have more than `MAX_BITS` bits."""
    for part in sympy.postorder_traversal(expression):
        if isinstance(part, sympy.Pow) and part.exp.is_number and part.base.is_number:
            bits = _size(part.exp) * max(1.0, abs(float(sympy.log(abs(sympy.N(part.base, 6)) + 2, 2))))
        elif isinstance(part, sympy.factorial | sympy.binomial | sympy.gamma):
            bits = 32 * _size(part.args[0]) if part.args[0].is_number else 0
        else:
            continue
        if bits > MAX_BITS:
            raise TooMuch(str(type(part)))


def _size(number: sympy.Expr) -> float:
    return float(abs(sympy.N(number, 6)))


def main() -> None:
    """Answer questions until the input ends: each answer, whether time was the matter, and the CPU seconds it took."""
    _limit_memory()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(3000)
    for latex in WARM_UP:
        same_value(latex, f"{latex}+1")
    questions, answers = sys.stdin, sys.stdout
    sys.stdout = sys.stderr  # what sympy prints is no answer
    answers.write("ready\n")
    answers.flush()
    for line in questions:
        answers.write(json.dumps(_answer(*json.loads(line))) + "\n")
        answers.flush()


def _answer(seconds: float, wall_seconds: float, function: str, *arguments: Any) -> tuple[bool | None, bool, float]:
    start = time.process_time()
    answer, overtime = None, False
    try:
        try:
            _set_alarms(seconds, wall_seconds + 1.0)
            answer = _FUNCTIONS[function](*arguments)
        finally:
            _set_alarms(0, 0)
    except (MemoryError, RecursionError, TooMuch):
        pass
    except _Overtime:  # in the last moment too, so that the other alarm may still be set
        _set_alarms(0, 0)
        overtime = answer is None
    except Exception:  # noqa: BLE001 - sympy fails in many ways, and none of them is an equality
        answer = False
    if overtime:  # what was interrupted may have left half a fact about a number that is kept
        _parsed.cache_clear()
        clear_cache()
    return answer, overtime, time.process_time() - start


_FUNCTIONS: dict[str, Callable[..., bool]] = {
    function.__name__: function for function in (is_value, same_value, same_relation, is_near)
}


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_LIMIT if hard == resource.RLIM_INFINITY else min(MEMORY_LIMIT, hard)
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _set_alarms(cpu_seconds: float, wall_seconds: float) -> None:
    """Raise `_Overtime` after so much work, which does not depend on how busy the machine is; end after so long."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, _overtime)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def _overtime(*_: object) -> None:
    raise _Overtime


if __name__ == "__main__":
    main()
