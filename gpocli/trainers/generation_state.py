"""What a checkpoint needs besides TRL's own files to go on in the middle of a generation batch."""

from pathlib import Path
from typing import Any

import torch


def save_generation_state(folder: Path, process: int, state: dict[str, Any]) -> None:
    """Write the state of one process: the micro-step, the buffered micro-batches (None between generation batches)
    and the state of the filter."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(state, _path(folder, process))


def load_generation_state(folder: Path, process: int, device: torch.device) -> dict[str, Any] | None:
    """The state of one process; None for a checkpoint that TRL's own trainer wrote."""
    path = _path(folder, process)
    if not path.exists():
        return None
    # With several processes the device is "cpu:0", which torch.load does not know.
    where = "cpu" if device.type == "cpu" else device
    state: dict[str, Any] = torch.load(path, map_location=where, weights_only=True)
    return state


def _path(folder: Path, process: int) -> Path:
    return folder / f"generation_state_{process}.pt"
