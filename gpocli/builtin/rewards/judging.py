"""Judging the answers of a batch by algebra that takes time: in rounds, the cheap ones first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from gpocli.maths.algebra import BoundedAlgebra, Undecided
from gpocli.maths.equality import equal, is_checkable
from gpocli.maths.forms import Form

ROUNDS = (0.1, 1.0)
"""Seconds of CPU time that a row may take in the rounds before the last, in which it may take all it may."""

_DEAR = re.compile(r"\\(?:int|sum|prod|lim|binom)|[∫∑∏!]")


class Outcome(Enum):
    """What became of a completion."""

    RIGHT = "right"
    WRONG = "wrong"
    UNSTATED = "states nothing"
    UNREADABLE = "states what cannot be read, or is too dear to compare"
    NO_GOLD = "the gold answer cannot be read"
    NOT_REACHED = "never compared, for the time of the batch was over"

    @property
    def reward(self) -> float | None:
        """1.0 for a right answer, None where the completion is not to blame, else 0.0."""
        if self in (Outcome.NO_GOLD, Outcome.NOT_REACHED):
            return None
        return float(self is Outcome.RIGHT)


@dataclass(frozen=True, slots=True)
class Case:
    """The gold answer of a row, the answer that is stated and its text, whose length and commands tell what it costs.

    `settled` is the outcome where nothing is to be compared; then the answers may be missing.
    """

    gold: Form | None = None
    answer: Form | None = None
    text: str = ""
    settled: Outcome | None = None

    @property
    def dearness(self) -> tuple[int, int]:
        """Larger for what probably takes longer."""
        return len(_DEAR.findall(self.text)), len(self.text)


def judge(case: Case, algebra: BoundedAlgebra) -> Outcome:
    """What becomes of one case. Raises `Undecided`."""
    if case.gold is None or not is_checkable(case.gold, algebra):
        return Outcome.NO_GOLD
    if case.settled is not None:
        return case.settled
    if case.answer is None:
        return Outcome.UNREADABLE
    return Outcome.RIGHT if equal(case.gold, case.answer, algebra) else Outcome.WRONG


def judge_all(cases: Sequence[Case], algebra: BoundedAlgebra, row_seconds: float) -> list[Outcome]:
    """What becomes of each case; one that is dear takes no time from others before they had theirs."""
    found: dict[int, Outcome] = {}
    asked: set[int] = set()
    left = sorted(range(len(cases)), key=lambda row: cases[row].dearness)
    for seconds in (*(limit for limit in ROUNDS if limit < row_seconds), row_seconds):
        for row in left:
            algebra.begin_row(seconds)
            try:
                found[row] = judge(cases[row], algebra)
            except Undecided as undecided:
                asked |= {row} if undecided.asked else set()
        left = [row for row in left if row not in found]
    return [found[row] if row in found else _given_up(case, algebra, row in asked) for row, case in enumerate(cases)]


def _given_up(case: Case, algebra: BoundedAlgebra, asked: bool) -> Outcome:
    """A gold answer that takes too long is nobody's fault; an answer that does is wrong, or it would be a way out."""
    algebra.begin_row(0.0)
    try:
        is_gold = case.gold is not None and is_checkable(case.gold, algebra)
    except Undecided:
        return Outcome.NO_GOLD if asked else Outcome.NOT_REACHED
    if not is_gold:
        return Outcome.NO_GOLD
    return Outcome.UNREADABLE if asked else Outcome.NOT_REACHED
