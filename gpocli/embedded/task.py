"""The task of the embedded default: sums of two numbers with as many digits each, answered after thinking aloud.

A sum belongs to the train or to the eval split for good: membership is a fixed hash of its two numbers, so no
choice of `seed` or `count` can let a sum of one split appear in the other.
"""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Split = Literal["train", "eval"]

DIGITS = (2, 3, 4)
"""Digits of each number, drawn evenly: one length alone would be either nearly solved or nearly hopeless."""

SPLIT_SALT = "gpo embedded sums 1"
EVAL_ONE_IN = 8
"""One sum in eight is held out."""

DEFAULT_COUNTS: dict[Split, int] = {"train": 4096, "eval": 512}
"""Rows of a split when no count is asked for: 512 answers tell accuracy to about 0.02 (one standard error)."""


@dataclass(frozen=True, slots=True)
class Sum:
    """One problem: two numbers to be added."""

    first: int
    second: int

    @property
    def question(self) -> str:
        """The text the policy is asked, such as `12+34=?`."""
        return f"{self.first}+{self.second}=?"

    @property
    def answer(self) -> str:
        """The right answer in decimal digits."""
        return str(self.first + self.second)

    @property
    def split(self) -> Split:
        """The split this sum belongs to; the order of the two numbers does not matter."""
        low, high = sorted((self.first, self.second))
        digest = hashlib.blake2b(f"{SPLIT_SALT}:{low}+{high}".encode(), digest_size=8).digest()
        return "eval" if int.from_bytes(digest, "big") % EVAL_ONE_IN == 0 else "train"


def sums(split: Split, rng: random.Random) -> Iterator[Sum]:
    """Sums of one split without end, drawn with `rng`; the same one may come again."""
    while True:
        digits = rng.choice(DIGITS)
        low, high = 10 ** (digits - 1), 10**digits
        problem = Sum(rng.randrange(low, high), rng.randrange(low, high))
        if problem.split == split:
            yield problem


def rows(split: Split, count: int | None = None, seed: int = 0) -> list[dict[str, Any]]:
    """Data rows of one split: `prompt` (chat messages) and `answer` (text), no sum twice.

    `seed` chooses which sums and in which order; a smaller `count` gives the beginning of the same list.
    """
    wanted = DEFAULT_COUNTS[split] if count is None else count
    problems: dict[Sum, None] = {}
    for problem in sums(split, random.Random(seed)):
        if len(problems) >= wanted:
            break
        problems[problem] = None
    return [
        {"prompt": [{"role": "user", "content": problem.question}], "answer": problem.answer} for problem in problems
    ]
