"""Worked answers for the embedded task: what its model is taught to write before any reinforcement learning.

A trace adds column by column, from the right, and slips now and then. It holds reasoning of two kinds: checking
(a second, careful pass that finds slips and tries again), which makes an answer right more often, and filler
(hedging, and checking once more what has been found right), which only makes it longer. A policy can therefore
gain accuracy the long way, by checking more, or the short way, by slipping less.
"""

import random
from dataclasses import dataclass

from gpocli.embedded.task import Sum

FILLERS = ("hmm, let me see", "ok so far", "wait, let me think", "this looks fine")


@dataclass(frozen=True, slots=True)
class Habits:
    """How a trace is written, as probabilities. The defaults make a start that is partly right and wordy."""

    slip: float = 0.25
    """Of writing a wrong column sum: more than half of the answers are wrong before any check."""
    slip_again: float = 0.04
    """The same, in attempts after a check has found a slip: they are made with more care."""
    filler: float = 0.55
    """Of a filler line before the columns and after the answer they give, and of another one after that."""
    check: float = 0.50
    """Of checking an answer at all."""
    recheck: float = 0.30
    """Of checking once more what a check has found right."""
    attempts: int = 3
    """Most attempts in one trace, a bound on its length."""
    give_up: float = 0.0
    """Of no attempt at all: a filler line and a number from nowhere, which is short and wrong."""


STARTS = {
    "embedded": Habits(),
    "low": Habits(slip=0.45, check=0.25),
    "high": Habits(slip=0.1, check=0.75),
    "gives-up": Habits(give_up=0.4),
}
"""Habits of other starts to train from: mostly wrong, mostly right, and with wrong answers that are the short ones."""


def add_columns(problem: Sum, rng: random.Random, slip: float) -> tuple[list[str], str]:
    """Add column by column: the lines written, such as `7+5+0=12` (digit, digit, carry), and the answer.

    A slip misses the column's sum by one or two; what follows goes on from the wrong sum.
    """
    lines, digits, carry = [], "", 0
    for first, second in zip(reversed(str(problem.first)), reversed(str(problem.second)), strict=True):
        total = int(first) + int(second) + carry
        if rng.random() < slip:
            total = min(19, max(0, total + rng.choice((-2, -1, 1, 2))))
        lines.append(f"{first}+{second}+{carry}={total}")
        digits = str(total % 10) + digits
        carry = total // 10
    return lines, str(int(f"{carry}{digits}"))


def hedge(rng: random.Random, filler: float) -> list[str]:
    """None, one or more filler lines."""
    lines = []
    while rng.random() < filler:
        lines.append(rng.choice(FILLERS))
    return lines


def trace(problem: Sum, rng: random.Random, habits: Habits | None = None) -> str:
    """One worked answer: `<think>`, lines of reasoning, `</think>`, and the number that the last attempt gave."""
    habits = habits or Habits()
    if habits.give_up and rng.random() < habits.give_up:
        return f"<think>{rng.choice(FILLERS)}</think>{rng.randrange(2000)}"
    careful, truth = add_columns(problem, rng, slip=0.0)
    check = ["check", *careful]
    lines: list[str] = []
    for attempt in range(1, habits.attempts + 1):
        columns, answer = add_columns(problem, rng, habits.slip if attempt == 1 else habits.slip_again)
        lines += [*hedge(rng, habits.filler), *columns, f"so {answer}", *hedge(rng, habits.filler)]
        if attempt == habits.attempts or rng.random() >= habits.check:
            break
        lines += check
        if answer == truth:
            lines.append("yes")
            while rng.random() < habits.recheck:
                lines += [*check, "yes"]
            break
        lines.append("no, again")
    return "<think>" + "\n".join(lines) + f"</think>{answer}"
