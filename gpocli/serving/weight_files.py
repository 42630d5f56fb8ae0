"""Files of weights in a shared folder: where they may lie, and whether they hold what the model's own files hold."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Shapes = dict[str, tuple[int, ...]]

_SHOWN = 3
_TIED = "lm_head.weight"
"""Weights that tied models may leave out or repeat."""


def files_inside(folder: Path, names: Sequence[str]) -> list[Path]:
    """The files of `names` in `folder`. Raises `ValueError` for a place outside, `OSError` where one is missing."""
    paths = [(folder / name).resolve(strict=True) for name in names]
    for path in paths:
        if path.parent != folder:
            raise ValueError(f"'{path}' is not in the folder of weights '{folder}'")
    return paths


def shapes_in(paths: Iterable[Path]) -> Shapes:
    """Names and shapes of the tensors in safetensors files, from their headers alone."""
    shapes: Shapes = {}
    for path in paths:
        with path.open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        shapes |= {name: tuple(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__"}
    return shapes


def why_unfit(found: Mapping[str, tuple[int, ...]], expected: Mapping[str, tuple[int, ...]] | None) -> str | None:
    """What keeps tensors from being new weights for a model with the `expected` ones; None: unknown ones, all fit."""
    if not found:
        return "no tensor arrived"
    if expected is None:
        return None
    for what, names in (
        ("missing", expected.keys() - found.keys() - {_TIED}),
        ("not the model's", found.keys() - expected.keys() - {_TIED}),
    ):
        if names:
            return f"{len(names)} of {len(expected)} tensors are {what}: {', '.join(sorted(names)[:_SHOWN])}"
    for name in sorted(expected.keys() & found.keys()):
        if found[name] != expected[name]:
            return f"{name} has the shape {found[name]}, and {expected[name]} in the model"
    return None
