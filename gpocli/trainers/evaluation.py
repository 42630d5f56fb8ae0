"""Evaluation: figures that count each row once, and no trace of it in training."""

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from gpocli.trainers.group_round import Metrics, weighted_sums


class EvaluationMeans:
    """Means over the rows of one evaluation.

    The parent averages over batches, so that a short last batch weighs too much, and with several processes counts the
    rows that only fill up the last batch. These are the rewards, their sum and the mean length. `rows` is the number
    of completions to expect, infinite where the data has no length.
    """

    def __init__(self, rows: float = math.inf) -> None:
        self._left = rows
        self._rewards_BF: list[torch.Tensor] = []
        self._lengths_B: list[torch.Tensor] = []

    def note(self, rewards_BF: torch.Tensor, lengths_B: torch.Tensor) -> None:
        """Take the next batch, gathered over all processes: rows that only fill it up come last."""
        real = int(min(len(rewards_BF), self._left))
        self._left -= real
        self._rewards_BF.append(rewards_BF[:real])
        self._lengths_B.append(lengths_B[:real])

    def write(self, metrics: Metrics, reward_names: Sequence[str], weights_F: torch.Tensor) -> None:
        """Put the means in the place of the parent's; without a batch nothing changes."""
        if not self._rewards_BF:
            return
        rewards_BF, lengths_B = torch.cat(self._rewards_BF), torch.cat(self._lengths_B)
        metrics["reward"] = [weighted_sums(rewards_BF, weights_F).nanmean().item()]
        for name, rewards_B in zip(reward_names, rewards_BF.unbind(1), strict=True):
            metrics[f"rewards/{name}/mean"] = [rewards_B.nanmean().item()]
        metrics["completions/mean_length"] = [lengths_B.float().mean().item()]


@contextmanager
def random_state_kept(device: torch.device) -> Iterator[None]:
    """Let nothing that is drawn inside, by gpo, a reward or a data loader, change what is drawn afterwards."""
    python, numpy = random.getstate(), np.random.get_state()
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        yield
    random.setstate(python)
    np.random.set_state(numpy)
