"""Whether run directories can be written, and for how long."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from gpocli.doctor.finding import Finding

_GIB = 2**30
TOO_LITTLE, LITTLE = 1, 20
"""GiB: under the first no run of a real model ends; under the second its checkpoints may not fit."""


def check_disk(runs: Path = Path("runs")) -> Iterator[Finding]:
    """The folder that run directories go to, or would be made in."""
    folder = runs.absolute()
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(
            "disk", "problem", f"'{folder}' cannot be written", "go to another folder, or name one with --out"
        )
        return
    yield space_of(runs, shutil.disk_usage(folder).free / _GIB)


def space_of(runs: Path, free: float) -> Finding:
    """The finding about `free` GiB."""
    text = f"{free:.1f} GiB free for {runs}/"
    if free < TOO_LITTLE:
        return Finding("disk", "problem", text, "free some space, or name another disk with --out")
    if free < LITTLE:
        cure = "a checkpoint holds the weights three times over: free space, or lower run.keep_checkpoints"
        return Finding("disk", "warn", text, cure)
    return Finding("disk", "ok", text)
