"""How far two trainings ended apart, as a share of the way they went."""

import torch

SAME = 1e-4
"""Sums in float32 taken in another order differ by about 1e-6 of their size, whatever else the machine does; one row,
token or divisor that is wrong moves a step by far more than this share of it. It holds for gradients and for SGD, whose
step is linear in the gradient; AdamW divides by the deviation, which blows up the noise where a gradient is near 0."""


def gap(ours: torch.Tensor, theirs: torch.Tensor, start: torch.Tensor | float = 0.0) -> float:
    return ((ours - theirs).norm() / (theirs - start).norm()).item()
