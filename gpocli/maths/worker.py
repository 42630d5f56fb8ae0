"""The process that does algebra: `python -m gpocli.maths.worker`.

It reads one JSON list `[seconds, function, *arguments]` a line, and writes one JSON value a line: true, false,
or null for what it will not compute. Whoever started it kills it when it takes too long; if that one is gone,
its own alarm does.
"""

import contextlib
import json
import logging
import signal
import sys
import warnings
from typing import Any

MEMORY_LIMIT = 4 * 1024**3
"""Bytes of address space, so that an answer with a billion digits fails rather than fills the machine."""

WARM_UP = (r"\frac{\sqrt{2}}{2}", "x^{2}-3x", r"\sin (x)")
"""What is compared before the first question, so that loading the grammar is not charged to a row."""


def main() -> None:
    """Answer questions until the input ends."""
    _limit_memory()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(3000)

    from gpocli.maths import symbolic  # costs half a second

    for latex in WARM_UP:
        symbolic.same_value(latex, f"{latex}+1")
    questions, answers = sys.stdin, sys.stdout
    sys.stdout = sys.stderr
    answers.write("ready\n")
    answers.flush()
    for line in questions:
        seconds, function, *arguments = json.loads(line)
        _set_alarm(seconds + 1.0)
        try:
            answer: Any = getattr(symbolic, function)(*arguments)
        except (MemoryError, RecursionError, symbolic.TooMuch):
            answer = None
        except Exception:  # noqa: BLE001 - sympy fails in many ways, and none of them is an equality
            answer = False
        _set_alarm(0)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_LIMIT if hard == resource.RLIM_INFINITY else min(MEMORY_LIMIT, hard)
    with contextlib.suppress(ValueError, OSError):  # not every system has this limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _set_alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
