"""Evaluation: figures that count each row once, and no trace of it in training."""

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from gpocli.trainers.figures import Counted, Metrics, evaluation_figures


class EvaluationRows:
    """The completions of one evaluation, of which its figures are.

    The parent's are means over batches, so that a short last batch weighs too much, and with several processes count
    the rows that only fill up the last batch. `rows` is the number of completions to expect, infinite where the data
    has no length.
    """

    def __init__(self, rows: float = math.inf) -> None:
        self._left = rows
        self._completions: list[Counted] = []

    def note(self, completions: Sequence[Counted]) -> None:
        """Take the next batch, of all processes: rows that only fill it up come last."""
        real = int(min(len(completions), self._left))
        self._left -= real
        self._completions += completions[:real]

    def write(self, metrics: Metrics, group_size: int, reward_names: Sequence[str]) -> None:
        """Put the figures among the metrics; none without a batch."""
        if self._completions:
            figures = evaluation_figures(self._completions, group_size, reward_names)
            metrics.update({name: [value] for name, value in figures.items()})


@contextmanager
def random_state_kept(device: torch.device) -> Iterator[None]:
    """Let nothing that is drawn inside, by gpo, a reward or a data loader, change what is drawn afterwards."""
    python, numpy = random.getstate(), np.random.get_state()
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        yield
    random.setstate(python)
    np.random.set_state(numpy)
