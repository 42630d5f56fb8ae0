"""Whether the disk of a run has room for what it will save, asked before its first step, not at its first save."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.errors import EnvironmentFault, counted

_STATES = {"adamw": 2, "adam": 2, "lomo": 0, "sgd": 0, "adafactor": 0}
"""Numbers that an optimizer keeps for each trained one, by the start of its name; of others one is counted."""
_CURES = "free some, lower run.keep_checkpoints, or name another disk with --out"


@dataclass(frozen=True, slots=True)
class Saved:
    """What a run saves: bytes of its model and of one checkpoint, and the most checkpoints that are there at a time."""

    model: int
    checkpoint: int
    checkpoints: int

    def fault(self, folder: Path, free: int) -> str | None:
        """Why not even one checkpoint and the model fit into so many free bytes."""
        need = self.checkpoint + self.model
        if free >= need:
            return None
        return f"{self._free(folder, free)}, and a checkpoint and the model take about {_size(need)}; {_CURES}"

    def warning(self, folder: Path, free: int) -> str | None:
        """What does not fit where one checkpoint does."""
        need = self.checkpoint * self.checkpoints + self.model
        if free >= need:
            return None
        kept = counted(self.checkpoints, "checkpoint")
        return f"{self._free(folder, free)}, and {kept} and the model take about {_size(need)}; {_CURES}"

    def _free(self, folder: Path, free: int) -> str:
        return f"the disk of '{folder}' has {_size(free)} free"


def saved_by(trainer: Any) -> Saved:
    """What the run of a trainer saves, estimated from its weights."""
    args, model = trainer.args, trainer.accelerator.unwrap_model(trainer.model)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    written = trained if hasattr(model, "peft_config") else list(model.parameters())
    model_bytes = sum(weight.numel() * weight.element_size() for weight in written)
    states = next((count for start, count in _STATES.items() if str(args.optim.value).startswith(start)), 1)
    optimizer = 0 if args.save_only_model else states * sum(one.numel() * one.element_size() for one in trained)
    every, keep = max(1, int(args.save_steps)), args.save_total_limit
    count = -(-int(args.max_steps) // every) if args.max_steps > 0 else 1
    # a new one is whole before the oldest goes
    return Saved(model_bytes, model_bytes + optimizer, count if keep is None else min(count, keep + 1))


def require_room(trainer: Any, folder: Path, note: Callable[[str], None]) -> None:
    """Raise `EnvironmentFault` where a run cannot save anything, and note it where it cannot save all."""
    from gpocli.trainers.gathering import spread_by  # here: it needs torch, which a run loads when all is checked

    if spread_by(trainer) is not None:  # nobody has the whole to count it
        return
    saved, free = saved_by(trainer), shutil.disk_usage(folder).free
    there = sum(1 for _ in Path(trainer.args.output_dir).glob("checkpoint-*"))  # of a run that is resumed
    if there == 0 and (fault := saved.fault(folder, free)):
        raise EnvironmentFault(fault)
    if warning := saved.warning(folder, free + there * saved.checkpoint):
        note(warning)


def _size(count: int) -> str:
    """A number of bytes for reading, in a unit in which it is at least 1."""
    units = ("bytes", "KiB", "MiB", "GiB", "TiB")
    power = next(power for power in range(len(units)) if count < 1024 ** (power + 1) or power == len(units) - 1)
    return f"{count / 1024**power:.{0 if power == 0 else 1}f} {units[power]}"
