"""Answers to prompts, in their order, be they drawn one or many at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpocli.asking.spelling import Spelling

if TYPE_CHECKING:
    from gpocli.rollout import Board

Decode = Callable[[Sequence[int]], str]
AT_ONCE = 64
"""Completions that are drawn at a time: on a machine without an accelerator more would hardly be faster."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion: candidate number `candidate` (from 0) of prompt number `prompt`.

    `tokens` count the end token. `ended` by it, or else cut at the limit. `logp` is the sum of the log-probabilities
    with which its tokens were drawn, after temperature and all other settings. `ids` are the tokens.
    """

    prompt: int
    candidate: int
    text: str
    tokens: int
    ended: bool
    logp: float | None
    ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Portion:
    """What is drawn at a time: `size` candidates of each of the prompts from `first` to before `last`.

    `first_row` numbers the rows of all portions, so that a row is drawn the same whatever portion it is in.
    """

    first: int
    last: int
    candidate: int
    size: int
    first_row: int

    def place(self, row: int) -> tuple[int, int]:
        """The numbers of prompt and candidate of a row of the portion."""
        return self.first + row // self.size, self.candidate + row % self.size


def portions(prompts: int, count: int, at_once: int = AT_ONCE) -> Iterator[Portion]:
    """All rows of `count` candidates for each of so many prompts, in order; a portion has no part of a prompt only,
    unless it is of one prompt.
    """
    if count >= at_once:
        for prompt in range(prompts):
            for start in range(0, count, at_once):
                yield Portion(prompt, prompt + 1, start, min(at_once, count - start), prompt * count + start)
        return
    each = at_once // count
    for first in range(0, prompts, each):
        yield Portion(first, min(first + each, prompts), 0, count, first * count)


class Teller:
    """Tells of the rows on a board one after the other, the first that still runs while it is drawn.

    `begin(row)` is called before the first text of a row, `show(text)` with each piece of it.
    """

    def __init__(self, decode: Decode, begin: Callable[[int], None], show: Callable[[str], None]) -> None:
        self._decode, self._begin, self._show = decode, begin, show
        self._row, self._spelling = -1, Spelling(decode)

    def look(self, board: "Board", *, is_over: bool = False) -> None:
        """Tell what is new; `is_over`: all rows have ended, or are cut."""
        while True:
            if self._row >= 0:
                is_last = is_over or not board.running[self._row]
                if text := self._spelling.more(board.completion_ids[self._row], is_last=is_last):
                    self._show(text)
                if not is_last:
                    return
            if self._row + 1 == len(board.completion_ids):
                return
            self._row += 1
            self._spelling = Spelling(self._decode)
            self._begin(self._row)
