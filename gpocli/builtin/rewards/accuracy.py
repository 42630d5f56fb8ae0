r"""The reward for a right answer, 1.0 or 0.0; None where the gold answer cannot be read.

What equals what is decided by `maths.equality`; docs/maths.md has a table of it. Numbers are compared
exactly, in microseconds; only expressions such as `\frac{\sqrt{3}}{2}` that are not written alike go to
math-verify's parser and sympy, in a worker process that is killed when it takes too long.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.columns import column, one_each
from gpocli.builtin.rewards.judging import Case, Outcome, judge, judge_all
from gpocli.builtin.rewards.thinking import Opening, stated_after_thinking
from gpocli.contracts.race import NotNow
from gpocli.extensions import RewardExtension
from gpocli.maths.algebra import BoundedAlgebra, Undecided
from gpocli.maths.brackets import TooLarge
from gpocli.maths.choice import choice_letter
from gpocli.maths.equality import is_checkable
from gpocli.maths.extraction import gold_answer, stated_answer
from gpocli.maths.forms import Form
from gpocli.maths.reading import read

__all__ = ["EXTENSION", "Accuracy", "AccuracyOptions", "gold_answer", "stated_answer", "unparsable_golds"]

logger = logging.getLogger(__name__)


class AccuracyOptions(Options):
    """Options of `accuracy`."""

    answer_column: str = Field(default="answer", min_length=1)
    """The data column with the gold answers."""
    opening: Opening = "auto"
    """Where the opening think tag stands; with `prompt` a completion that never closes the block is wrong."""
    last_number: bool = False
    """Whether the last number of a completion counts when it states no answer; for base models, and easily won."""
    choices: bool = False
    """Whether a gold answer such as `C`, `(C)` or `C. 42` is a choice, of which the letter alone is compared."""
    row_seconds: float = Field(default=5.0, gt=0, le=600)
    """Seconds of CPU time that comparing one completion may take; one that needs more counts as wrong."""
    batch_seconds: float = Field(default=30.0, gt=0, le=3600)
    """Seconds that all the slow comparisons of a batch may take; completions that it does not reach get None."""

    def compared(self, gold: Any) -> Any:
        """What is compared of a cell of the gold column: the letter of a choice, else all."""
        return (choice_letter(str(gold)) if self.choices else None) or gold


class Accuracy:
    """Whether what a completion states as its answer equals the gold answer.

    Only what follows the last `</think>` counts, and a think block left open is wrong, as is an answer that cannot be
    read or is too dear to compare. None: the gold answer cannot be read, or the time of the batch was over before the
    comparison. In a race only what needs no worker process is compared.

    Logs, as shares of the completions with a gold answer: `NAME/unreadable`, and `NAME/unstated` of those that state
    nothing.
    """

    __name__ = "accuracy"

    def __init__(self, options: AccuracyOptions, name: str = "accuracy") -> None:
        self.options = options
        self.__name__ = name
        self.columns = (options.answer_column,)
        self._silence = Silence(name)

    def __call__(
        self,
        completions: Sequence[Any],
        prompts: Sequence[Any] | None = None,
        in_race: bool = False,
        **columns: Any,
    ) -> list[float | None]:
        golds = column(columns, self.options.answer_column, self.__name__, len(completions))
        rows = zip(completions, golds, one_each(prompts, len(completions)), strict=True)
        cases = [self._case(*row) for row in rows]
        if in_race:
            return [outcome.reward for outcome in self._judged_now(cases)]
        algebra = BoundedAlgebra(self.options.row_seconds, self.options.batch_seconds)
        outcomes = judge_all(cases, algebra, self.options.row_seconds)
        self._tell(outcomes, columns.get("log_metric"))
        return [outcome.reward for outcome in outcomes]

    def reward_bound(self, length: int) -> float:
        """A longer completion may still be right."""
        return 1.0

    def _judged_now(self, cases: Sequence[Case]) -> list[Outcome]:
        # The seconds are those of a batch, and in a race the others would wait.
        algebra = BoundedAlgebra(row_seconds=0.0, batch_seconds=0.0)
        try:
            return [judge(case, algebra) for case in cases]
        except Undecided:
            raise NotNow from None

    def _tell(self, outcomes: Sequence[Outcome], log: Callable[[str, float], None] | None) -> None:
        counts = Counter(outcomes)
        if late := counts[Outcome.NOT_REACHED]:
            logger.warning(
                "%s: %d of %d answers were not compared within batch_seconds, %g, and count as missing",
                self.__name__,
                late,
                len(outcomes),
                self.options.batch_seconds,
            )
        if with_gold := len(outcomes) - counts[Outcome.NO_GOLD]:
            unstated = counts[Outcome.UNSTATED] / with_gold
            self._silence.hear(unstated)
            if log is not None:  # a race has none, and one that is named in the signature would forbid races
                log(f"{self.__name__}/unreadable", counts[Outcome.UNREADABLE] / with_gold)
                log(f"{self.__name__}/unstated", unstated)

    def _case(self, completion: Any, gold: Any, prompt: Any) -> Case:
        compared = self.options.compared(gold)
        wanted = _gold_or_none(compared)
        if wanted is None:
            return Case()
        text = stated_after_thinking(completion, self.options.opening, prompt)
        stated = None if text is None else stated_answer(text, last_number=self.options.last_number)
        if stated is None:
            return Case(wanted, settled=Outcome.UNSTATED)
        if self.options.choices and choice_letter(str(gold)):
            return Case(wanted, settled=Outcome.RIGHT if choice_letter(stated) == compared else Outcome.WRONG)
        try:
            return Case(wanted, read(stated), stated)
        except TooLarge:
            return Case(wanted, settled=Outcome.UNREADABLE)


class Silence:
    """Says once that completions state no answer, when nearly none of several batches does."""

    SHARE, BATCHES = 0.9, 3

    def __init__(self, name: str) -> None:
        self._name = name
        self._in_a_row = 0

    def hear(self, unstated: float) -> None:
        """Take in the share of a batch that states nothing."""
        self._in_a_row = self._in_a_row + 1 if unstated > self.SHARE else 0
        if self._in_a_row == self.BATCHES:
            logger.warning(
                "%s: more than %d %% of the completions of %d steps state no answer; read are \\boxed{x}, "
                '<answer>x</answer>, "the answer is x", "#### x" and a bare x: ask for one of them in the prompt, or '
                "set the option last_number",
                self._name,
                100 * self.SHARE,
                self.BATCHES,
            )


def unparsable_golds(answers: Sequence[Any], *, trust_formulas: bool = False) -> list[int]:
    """The rows, counted from 0, whose gold answer cannot be read, so that `accuracy` would be None for them.

    For a message when data is loaded. Reads each distinct answer once; may take seconds for thousands of formulas,
    unless they are trusted: then only prose, nothing and the like are found. Which are found does not depend on how
    fast the machine is: what could not be read to its end in time is not among them.
    """
    algebra = None if trust_formulas else BoundedAlgebra(row_seconds=5.0, batch_seconds=600.0)
    keys = [repr(answer) for answer in answers]  # of which 1, 1.0 and True differ
    readable = {key: _is_readable(answer, algebra) for key, answer in dict(zip(keys, answers, strict=True)).items()}
    return [row for row, key in enumerate(keys) if not readable[key]]


def _is_readable(gold: Any, algebra: BoundedAlgebra | None) -> bool:
    if algebra is not None:
        algebra.begin_row()
    form = _gold_or_none(gold)
    try:
        return form is not None and is_checkable(form, algebra)
    except Undecided:
        return True


def _gold_or_none(gold: Any) -> Form | None:
    try:
        return _gold_form(gold)
    except TooLarge:
        return None


def _gold_form(gold: Any) -> Form | None:
    """What a cell of the gold column says. Raises `TooLarge`."""
    # Python calls True a number, but no task has it for an answer.
    if isinstance(gold, bool) or not isinstance(gold, str | int | float):
        return None
    return _gold_text_form(str(gold))


@lru_cache(maxsize=8192)  # a gold answer is read for every completion of its group
def _gold_text_form(gold: str) -> Form | None:
    return read(gold_answer(gold))


EXTENSION = RewardExtension(
    name="accuracy",
    build=Accuracy,
    summary="1 for a right answer, 0 for a wrong one (numbers exactly, formulas by algebra)",
    options=AccuracyOptions,
    columns=("answer",),
)
