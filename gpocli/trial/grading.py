"""A reward beside grades that completions have already: how often the two agree, and where they do not."""

import asyncio
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpocli.contracts.building import NamedReward
from gpocli.contracts.reward import checked_rewards
from gpocli.data.rows import Rows
from gpocli.errors import SpecError

BATCH = 64
"""Completions of one call."""
HALF = 0.5
"""A reward or grade above it means right."""

_OURS = ("prompts", "completions")
_RIGHT = frozenset(("true", "yes", "right", "correct", "pass", "1"))
_WRONG = frozenset(("false", "no", "wrong", "incorrect", "fail", "0"))


@dataclass(frozen=True, slots=True)
class Graded:
    """A completion, where it stands, whether its grade says that it is right, and its reward."""

    place: str
    completion: str
    grade: bool
    reward: float | None

    @property
    def agrees(self) -> bool:
        """Whether reward and grade say the same; a missing reward says nothing."""
        return self.reward is not None and (self.reward > HALF) == self.grade


@dataclass(frozen=True, slots=True)
class Agreement:
    """All completions of a file."""

    graded: tuple[Graded, ...]

    @property
    def paid(self) -> list[Graded]:
        """Those that the reward pays and the grade calls wrong."""
        return [one for one in self.graded if one.reward is not None and one.reward > HALF and not one.grade]

    @property
    def refused(self) -> list[Graded]:
        """Those that the reward does not pay and the grade calls right."""
        return [one for one in self.graded if one.reward is not None and one.reward <= HALF and one.grade]

    @property
    def missing(self) -> list[Graded]:
        """Those without a reward."""
        return [one for one in self.graded if one.reward is None]

    @property
    def share(self) -> float:
        """The share of completions with a reward of which the grade says the same; 0 where none has one."""
        judged = len(self.graded) - len(self.missing)
        return sum(one.agrees for one in self.graded) / judged if judged else 0.0


def grade(reward: NamedReward, rows: Rows, completion: str, grade_column: str) -> Agreement:
    """Call a reward on the column `completion`, with all columns beside it. Raises SpecError for what is no grade."""
    (function,) = checked_rewards([reward.function], [reward.name])
    graded: list[Graded] = []
    for start in range(0, len(rows), BATCH):
        batch = [rows[index] for index in range(start, min(start + BATCH, len(rows)))]
        texts = [_text(row[completion]) for row in batch]
        columns = {name: [row[name] for row in batch] for name in rows.columns if name not in _OURS}
        returned = function(prompts=[row.get("prompt", "") for row in batch], completions=texts, **columns)
        values: Sequence[float | None] = asyncio.run(returned) if inspect.iscoroutine(returned) else returned
        for index, (text, value) in enumerate(zip(texts, values, strict=True), start=start):
            is_right = _grade(rows[index][grade_column], rows.place(index), grade_column)
            graded.append(Graded(rows.place(index), text, is_right, value))
    return Agreement(tuple(graded))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _grade(value: Any, place: str, column: str) -> bool:
    text = str(value).strip().casefold()
    if text in _RIGHT or text in _WRONG:
        return text in _RIGHT
    try:
        return float(text) > HALF
    except ValueError:
        raise SpecError(
            f"{place}: '{value}' in the column '{column}' is no grade; write true or false, right or wrong, or a number"
        ) from None
