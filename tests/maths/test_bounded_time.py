"""No text makes a regular expression explode: judged by how CPU time grows with the length, not by a clock."""

import contextlib
import importlib
import pkgutil
import re
import time

import pytest

import gpocli.maths
from gpocli.maths.brackets import TooLarge
from gpocli.maths.extraction import gold_answer, stated_answer
from gpocli.maths.reading import read

UNITS = [
    " ",
    "(",
    "[",
    "{",
    "}",
    ")",
    "7",
    "-",
    "*",
    "$",
    ",",
    ".",
    "a",
    "a ",
    "\\",
    "\n",
    "7 ",
    "1,",
    "\\text{",
    "=",
    "^",
]
STARTS = ["", "answer", "the answer is ", "####", "\\boxed", "A:", "<answer>", "<think>"]
LEAST = 0.05
"""Seconds of CPU time below which a growth tells nothing."""


def patterns():
    """Every compiled pattern of gpocli.maths, those within tuples too."""
    for module in pkgutil.iter_modules(gpocli.maths.__path__, "gpocli.maths."):
        if module.name.endswith(".symbolic"):  # in a process that is killed when it takes long
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            held = (
                [part for row in value if isinstance(row, tuple) for part in row]
                if isinstance(value, tuple)
                else [value]
            )
            for place, one in enumerate(held):
                if isinstance(one, re.Pattern):
                    yield pytest.param(one, id=f"{module.name}.{name}{place}")


def cpu_seconds(work, *arguments):
    """The least of three, for others may be at work."""
    spent = []
    while len(spent) < 3 and min(spent, default=LEAST) >= LEAST:
        start = time.thread_time()
        work(*arguments)
        spent.append(time.thread_time() - start)
    return min(spent)


def exhaust(pattern, text):
    """Search and match all of a text."""
    pattern.fullmatch(text)
    for _ in pattern.finditer(text):
        pass


@pytest.mark.parametrize("pattern", patterns())
def test_no_pattern_takes_more_than_the_square_of_what_is_read(pattern):  # at most 2,000 characters are
    for unit in UNITS:
        short, long = [cpu_seconds(exhaust, pattern, unit * (size // len(unit))) for size in (250, 1000)]
        assert long < LEAST or long < 40 * short, unit  # 16 for the square, 64 for the cube


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("find", [stated_answer, gold_answer, read], ids=lambda find: find.__name__)
def test_whole_texts_take_time_in_line_with_their_length(start, find):
    def work(unit, size):
        with contextlib.suppress(TooLarge):
            find(start + unit * (size // len(unit)))

    for unit in UNITS:
        short, long = [cpu_seconds(work, unit, size) for size in (10_000, 40_000)]
        assert long < LEAST or long < 10 * short, unit  # 4 in line with the length, 16 for its square


@pytest.mark.parametrize("start", STARTS)
def test_a_million_spaces_end(start):
    stated_answer(start + " " * 1_000_000, last_number=True)
