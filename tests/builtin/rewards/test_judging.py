import pytest

from gpocli.builtin.rewards.judging import Case, Outcome, judge, judge_all
from gpocli.maths.algebra import BoundedAlgebra
from gpocli.maths.forms import Expression, Word
from gpocli.maths.number import Quantity

FIVE, SIX = Quantity(5), Quantity(6)
NO_TIME = BoundedAlgebra(row_seconds=0.0, batch_seconds=0.0)


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        (Case(FIVE, FIVE), Outcome.RIGHT),
        (Case(FIVE, SIX), Outcome.WRONG),
        (Case(FIVE, None), Outcome.UNREADABLE),
        (Case(FIVE, settled=Outcome.UNSTATED), Outcome.UNSTATED),
        (Case(None, FIVE), Outcome.NO_GOLD),
        (Case(Word("see text", plain=True), settled=Outcome.UNSTATED), Outcome.NO_GOLD),
    ],
)
def test_outcomes_that_need_no_algebra(case, outcome):
    assert judge(case, NO_TIME) is outcome
    assert judge_all([case], NO_TIME, 5.0) == [outcome]


def test_only_a_gold_answer_and_a_late_batch_are_no_fault_of_the_completion():
    missing = {outcome for outcome in Outcome if outcome.reward is None}
    assert missing == {Outcome.NO_GOLD, Outcome.NOT_REACHED}
    assert [outcome for outcome in Outcome if outcome.reward == 1.0] == [Outcome.RIGHT]


def test_what_is_never_asked_is_not_reached():
    unasked = Case(FIVE, Expression("5+0w"), "5+0w")
    assert judge_all([unasked, Case(FIVE, FIVE)], NO_TIME, 5.0) == [Outcome.NOT_REACHED, Outcome.RIGHT]


def test_long_answers_and_integrals_come_last():
    texts = [r"\int x dx", "x+1", "x+1+2+3", r"\int\int x"]
    assert sorted(texts, key=lambda text: Case(text=text).dearness) == [texts[1], texts[2], texts[0], texts[3]]
