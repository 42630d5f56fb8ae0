"""A cache whose rows grow in place and leave without the others being copied."""

import torch

from gpocli.rollout.cache import SpareLayer


def states(*rows):
    """Keys of one head and size 1: a number for each row and token."""
    return torch.tensor(rows, dtype=torch.float32)[:, None, :, None]


def test_tokens_are_appended_behind_those_that_are_there():
    layer = SpareLayer()
    layer.update(states([1, 2], [3, 4]), states([1, 2], [3, 4]))
    keys, _ = layer.update(states([5], [6]), states([5], [6]))
    assert keys[:, 0, :, 0].tolist() == [[1, 2, 5], [3, 4, 6]]


def test_a_row_that_leaves_is_filled_with_the_last():
    layer = SpareLayer()
    layer.update(states([1], [2], [3]), states([1], [2], [3]))
    layer.update(states([4], [5], [6]), states([4], [5], [6]))
    layer.move_rows(torch.tensor([0]), torch.tensor([2]), 2)
    assert layer.keys[:, 0, :, 0].tolist() == [[3, 6], [2, 5]]
    keys, _ = layer.update(states([7], [8]), states([7], [8]))
    assert keys[:, 0, :, 0].tolist() == [[3, 6, 7], [2, 5, 8]]
