"""How the loss of an algorithm differs from `GRPOTrainer`'s: by default it does not."""

from collections.abc import Callable
from typing import Any

import torch

Inputs = dict[str, Any]
"""A micro-batch as TRL makes it: `completion_ids`, `completion_mask` [B, T], `advantages` [B], ..."""


class Objective:
    """What a trainer asks around the parent's loss; an algorithm with mathematics of its own overrides it."""

    def arranged(self, trainer: Any, micro_batches: list[Inputs]) -> list[Inputs]:
        """Note in a fresh generation batch, cut into micro-batches, what the loss needs to know of all of it."""
        return micro_batches

    def seen(self, passed: tuple[Any, ...]) -> tuple[Any, ...]:
        """Look at the log-probabilities, entropies and auxiliary loss of a pass before the parent uses them."""
        return passed

    def loss(self, trainer: Any, parent: Callable[[Inputs], torch.Tensor], inputs: Inputs) -> torch.Tensor:
        """The loss of a micro-batch; `parent` is the parent's own."""
        return parent(inputs)
