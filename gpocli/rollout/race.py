"""Which candidates of a group are still in the race: pure bookkeeping on token ids, no tensors."""

from bisect import insort
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

_Key = tuple[tuple[float, ...], int]


@dataclass(frozen=True, slots=True)
class Race:
    """How the candidates of a group are ranked, so that those which can no longer be kept stop early.

    `score(row, token_ids, finished)` is the score of an ended candidate, asked once, right after it ended.
    `bound(length)` is the highest score that a candidate which has `length` tokens, has not ended and goes on could
    still get, whether it then ends or is cut at the limit. Scores are compared like tuples, higher is better, and of
    equal ones the earlier candidate wins. `score` must depend on the candidate alone.
    """

    keep: int
    score: Callable[[int, list[int], bool], tuple[float, ...]]
    bound: Callable[[int], tuple[float, ...]]


class GroupRanking:
    """The k best of the ended candidates of each group, and who can no longer be among them.

    Rows are numbered group after group: row r belongs to group r // G. Exact: a candidate is beaten only when its best
    possible rank is behind that of k ended ones. Ended ones never get worse and bounds hold, hence it is not among the
    k best of the full group either.
    """

    def __init__(self, num_groups: int, group_size: int, race: Race) -> None:
        self._group_size, self._race = group_size, race
        # The k best ended candidates of each group, best first.
        self._best: list[list[_Key]] = [[] for _ in range(num_groups)]

    def note_ended(self, row: int, completion_ids: list[int]) -> bool:
        """Ranks a candidate that ended; True when k of its group now have, so that others may be beaten."""
        best = self._best[row // self._group_size]
        score = self._race.score(row, completion_ids, True)
        insort(best, (tuple(-s for s in score), row))
        del best[self._race.keep :]
        return len(best) == self._race.keep

    def beaten(self, rows: Sequence[int], length: int) -> list[int]:
        """Those of the running `rows`, all of one group and with `length` tokens, that cannot be kept any more."""
        best = self._best[rows[0] // self._group_size] if rows else []
        if len(best) < self._race.keep:
            return []
        bound, worst_kept = tuple(-s for s in self._race.bound(length)), best[-1]
        return [row for row in rows if (bound, row) > worst_kept]


class GroupBoard:
    """Tells for every row whether it runs, has ended or is lost, a token step at a time.

    Every running row takes exactly one token in `advance`, in lockstep, and candidates are compared only after all
    rows of the token step were seen. So who is lost depends on the tokens alone: not on when the caller looks, nor on
    the order in which rows are decoded.
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
        self.length = 0
        self._group_size, self._limit = group_size, limit
        self._ends = frozenset(end_token_ids)
        # k = G loses nobody: it is not worth asking for scores.
        is_race = race is not None and race.keep < group_size
        self._ranking = GroupRanking(num_groups, group_size, race) if race is not None and is_race else None
        # Groups with k ended candidates in which others still run.
        self._deciding: set[int] = set()

    def advance(self, rows: Sequence[int], tokens: Sequence[int]) -> None:
        """Takes one token of each row in `rows`; rows that do not run any more are passed over."""
        self.length += 1
        running, ends, completion_ids = self.running, self._ends, self.completion_ids
        for row, token in zip(rows, tokens, strict=True):
            if running[row]:
                completion_ids[row].append(token)
                if token in ends:
                    self._end(row)
        # Rows at the limit are cut, not lost: they do not go on, so a bound on what they could become says nothing.
        if self._deciding and self.length < self._limit:
            self._stop_lost()

    def _end(self, row: int) -> None:
        self.running[row] = False
        self.num_running -= 1
        self.finished[row] = True
        if self._ranking is not None and self._ranking.note_ended(row, self.completion_ids[row]):
            self._deciding.add(row // self._group_size)

    def _stop_lost(self) -> None:
        assert self._ranking is not None
        for group in list(self._deciding):
            start = group * self._group_size
            running = [row for row in range(start, start + self._group_size) if self.running[row]]
            beaten = self._ranking.beaten(running, self.length)
            for row in beaten:
                self.running[row] = False
                self.lost[row] = True
            self.num_running -= len(beaten)
            if len(beaten) == len(running):
                self._deciding.discard(group)
