"""The data order of a run, from any place in it."""

from typing import Any

import torch


class PromptOrder:
    """The rows of a data set, epoch after epoch, in the orders of `EpochRepeatSampler` with nothing left out at an end.

    What stands at a place depends on the seed and the place alone, so that a resumed run goes on with the right one.
    """

    def __init__(self, rows: Any, seed: int, *, shuffle: bool) -> None:
        self._rows, self._seed, self._shuffle = rows, seed, shuffle
        self._epoch, self._order = -1, torch.arange(len(rows))
        self._generator = torch.Generator()

    def rows(self, place: int, count: int) -> list[dict[str, Any]]:
        """`count` rows from a place on, which counts from 0 at the start of the run."""
        return [self._row(*divmod(at, len(self._rows))) for at in range(place, place + count)]

    def _row(self, epoch: int, number: int) -> dict[str, Any]:
        if self._shuffle and epoch != self._epoch:
            self._move_to(epoch)
        row: dict[str, Any] = self._rows[int(self._order[number])]
        return row

    def _move_to(self, epoch: int) -> None:
        """Draw one permutation an epoch, those of the epochs before included."""
        if epoch < self._epoch or self._epoch < 0:
            self._generator.manual_seed(self._seed)
            self._epoch = -1
        for _ in range(epoch - self._epoch):
            self._order = torch.randperm(len(self._rows), generator=self._generator)
        self._epoch = epoch
