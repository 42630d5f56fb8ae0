r"""The reward for a right answer, 1.0 or 0.0; None where the gold answer cannot be read.

What equals what is decided by `maths.equality`; docs/maths.md has a table of it. Numbers are compared
exactly, in microseconds; only expressions such as `\frac{\sqrt{3}}{2}` that are not written alike go to
math-verify's parser and sympy, in a worker process that is killed when it takes too long.
"""

import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.columns import column, one_each
from gpocli.builtin.rewards.thinking import Opening, stated_after_thinking
from gpocli.contracts.race import NotNow
from gpocli.extensions import RewardExtension
from gpocli.maths.algebra import BoundedAlgebra, Undecided
from gpocli.maths.brackets import TooLarge
from gpocli.maths.equality import equal, is_checkable
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
    row_seconds: float = Field(default=5.0, gt=0, le=600)
    """Seconds that comparing one completion may take; a completion that needs more gets None."""
    batch_seconds: float = Field(default=30.0, gt=0, le=3600)
    """Seconds that all the slow comparisons of a batch may take; completions beyond it get None."""


class Accuracy:
    """Whether what a completion states as its answer equals the gold answer.

    Only what follows the last `</think>` counts, and a think block left open is wrong. None: the gold answer
    cannot be read, or the comparison would take too long. In a race only what needs no worker process is compared.
    """

    __name__ = "accuracy"

    def __init__(self, options: AccuracyOptions, name: str = "accuracy") -> None:
        self.options = options
        self.__name__ = name
        self.columns = (options.answer_column,)

    def __call__(
        self,
        completions: Sequence[Any],
        prompts: Sequence[Any] | None = None,
        in_race: bool = False,
        **columns: Any,
    ) -> list[float | None]:
        options = self.options
        golds = column(columns, options.answer_column, self.__name__, len(completions))
        # The seconds are those of a batch, and in a race the others would wait.
        row_seconds, batch_seconds = (0.0, 0.0) if in_race else (options.row_seconds, options.batch_seconds)
        algebra = BoundedAlgebra(row_seconds, batch_seconds)
        rows = zip(completions, golds, one_each(prompts, len(completions)), strict=True)
        scores = [self._score(*row, algebra) for row in rows]
        if in_race and algebra.undecided_rows:
            raise NotNow
        if algebra.undecided_rows:
            logger.warning(
                "%s: %d of %d answers would take too long to compare and count as missing",
                self.__name__,
                algebra.undecided_rows,
                len(scores),
            )
        return scores

    def reward_bound(self, length: int) -> float:
        """A longer completion may still be right."""
        return 1.0

    def _score(self, completion: Any, gold: Any, prompt: Any, algebra: BoundedAlgebra) -> float | None:
        algebra.begin_row()
        try:
            wanted = _gold_form(gold)
            if wanted is None or not is_checkable(wanted, algebra):
                return None
            text = stated_after_thinking(completion, self.options.opening, prompt)
            stated = None if text is None else stated_answer(text, last_number=self.options.last_number)
            answer = None if stated is None else read(stated)
            return 1.0 if answer is not None and equal(wanted, answer, algebra) else 0.0
        except (Undecided, TooLarge):
            algebra.undecided_rows += 1
            return None


def unparsable_golds(answers: Sequence[Any], *, trust_formulas: bool = False) -> list[int]:
    """The rows, counted from 0, whose gold answer cannot be read, so that `accuracy` would be None for them.

    For a message when data is loaded. Reads each distinct answer once; may take seconds for thousands of
    formulas, unless they are trusted: then only prose, nothing and the like are found.
    """
    algebra = None if trust_formulas else BoundedAlgebra(row_seconds=5.0, batch_seconds=600.0)
    keys = [repr(answer) for answer in answers]  # of which 1, 1.0 and True differ
    readable = {key: _is_readable(answer, algebra) for key, answer in dict(zip(keys, answers, strict=True)).items()}
    return [row for row, key in enumerate(keys) if not readable[key]]


def _is_readable(gold: Any, algebra: BoundedAlgebra | None) -> bool:
    try:
        form = _gold_form(gold)
        return form is not None and is_checkable(form, algebra)
    except (Undecided, TooLarge):
        return False


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
