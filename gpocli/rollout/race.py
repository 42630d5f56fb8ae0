"""Which candidates of a group are still in the race: pure bookkeeping on token ids, no tensors."""

from bisect import insort
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

_Key = tuple[tuple[float, ...], int]


@dataclass(frozen=True, slots=True)
class Race:
    """How the candidates of a group are ranked, so that those which can no longer be kept stop early.

    `score(row, token_ids, finished)` is the score of an ended candidate, asked once, right after it ended; None where
    it is only known when all have ended: nobody loses to that candidate.
    `bound(length)` is the highest score that a candidate which has `length` tokens, has not ended and goes on could
    still get, whether it then ends or is cut at the limit. Scores are compared like tuples, higher is better, and of
    equal ones the earlier candidate wins. `score` must depend on the candidate alone.
    """

    keep: int
    score: Callable[[int, list[int], bool], tuple[float, ...] | None]
    bound: Callable[[int], tuple[float, ...]]


class GroupRanking:
    """The k best of the ended candidates of each group, and who can no longer be among them.

    Rows are numbered group after group: row r belongs to group r // G. Exact: a candidate is beaten only when its best
    possible rank is behind that of k ended ones. Ended ones never get worse and bounds hold, hence it is not among the
    k best of the full group either.
    """

    def __init__(self, num_groups: int, group_size: int, race: Race) -> None:
        self.scores: dict[int, tuple[float, ...]] = {}
        self._group_size, self._race = group_size, race
        # The k best ended candidates of each group, best first.
        self._best: list[list[_Key]] = [[] for _ in range(num_groups)]

    def note_ended(self, row: int, completion_ids: list[int]) -> bool:
        """Ranks a candidate that ended; True when k of its group now have, so that others may be beaten."""
        best = self._best[row // self._group_size]
        score = self._race.score(row, completion_ids, True)
        if score is None:
            return False
        self.scores[row] = score
        insort(best, _key(row, score))
        del best[self._race.keep :]
        return len(best) == self._race.keep

    def beaten(self, rows: Sequence[int], lengths: Sequence[int]) -> list[int]:
        """Those of the running `rows`, all of one group, that cannot be kept any more with the tokens they have."""
        best = self._best[rows[0] // self._group_size] if rows else []
        if len(best) < self._race.keep:
            return []
        # In lockstep all lengths are one, and a bound may be code of a plugin.
        bounds = {length: self._race.bound(length) for length in set(lengths)}
        return [row for row, length in zip(rows, lengths, strict=True) if _key(row, bounds[length]) > best[-1]]


def _key(row: int, score: tuple[float, ...]) -> _Key:
    """What sorts candidates, best first: of equal scores the earlier one."""
    return tuple(-part for part in score), row


class Board:
    """Tells for every row whether it runs, has ended or is lost, for any engine.

    Candidates are compared by their numbers of tokens, never by when they ended. So who could be kept depends on the
    tokens alone: not on when the caller looks, nor on the order in which rows are decoded.
    """

    def __init__(
        self,
        num_groups: int,
        group_size: int,
        *,
        limit: int,
        end_token_ids: Collection[int],
        race: Race | None = None,
    ) -> None:
        rows = num_groups * group_size
        self.completion_ids: list[list[int]] = [[] for _ in range(rows)]
        self.finished = [False] * rows
        self.lost = [False] * rows
        self.running = [True] * rows
        self.num_running = rows
        self._group_size, self._limit = group_size, limit
        self._ends = frozenset(end_token_ids)
        # k = G loses nobody: it is not worth asking for scores.
        self.is_race = race is not None and race.keep < group_size
        self._ranking = GroupRanking(num_groups, group_size, race) if race is not None and self.is_race else None
        # Groups with k ended candidates in which others still run.
        self._deciding: set[int] = set()

    @property
    def scores(self) -> dict[int, tuple[float, ...]]:
        """The scores of the candidates that ended in the race, by row."""
        return {} if self._ranking is None else self._ranking.scores

    def advance(self, rows: Sequence[int], tokens: Sequence[int]) -> None:
        """Takes one token of each row in `rows`, in lockstep; rows that do not run any more are passed over.

        Candidates are compared only after all rows of the token step were seen.
        """
        running, ends, completion_ids = self.running, self._ends, self.completion_ids
        for row, token in zip(rows, tokens, strict=True):
            if running[row]:
                completion_ids[row].append(token)
                if token in ends:
                    self._end(row, finished=True)
        for group in list(self._deciding):
            self._lose(group)

    def take(self, row: int, tokens: Sequence[int], *, ended: bool) -> list[int]:
        """Takes all tokens that a row has so far; returns the rows of its group that are lost by that."""
        if not self.running[row]:
            return []  # it was stopped, and these tokens were already under way
        self.completion_ids[row] = list(tokens)
        if ended:
            # By the last token: a row of exactly the longest length may have ended there or been cut there.
            self._end(row, finished=bool(tokens) and tokens[-1] in self._ends)
        group = row // self._group_size
        return self._lose(group) if group in self._deciding else []

    def _end(self, row: int, *, finished: bool) -> None:
        self.running[row] = False
        self.num_running -= 1
        self.finished[row] = finished
        if finished and self._ranking is not None and self._ranking.note_ended(row, self.completion_ids[row]):
            self._deciding.add(row // self._group_size)

    def _lose(self, group: int) -> list[int]:
        """Stops those of a group that cannot be kept any more, each judged by the tokens that it has."""
        assert self._ranking is not None
        start = group * self._group_size
        running = [row for row in range(start, start + self._group_size) if self.running[row]]
        # Rows at the limit are cut, not lost: they do not go on, so a bound on what they could become says nothing.
        going_on = [row for row in running if len(self.completion_ids[row]) < self._limit]
        beaten = self._ranking.beaten(going_on, [len(self.completion_ids[row]) for row in going_on])
        for row in beaten:
            self.running[row], self.lost[row] = False, True
        self.num_running -= len(beaten)
        if len(beaten) == len(running):
            self._deciding.discard(group)
        return beaten
