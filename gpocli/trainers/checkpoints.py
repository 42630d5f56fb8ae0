"""Checkpoints that are whole or not there: how a trainer saves one, and which it goes on from."""

import logging
import os
import re
import shutil
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from transformers.trainer_utils import rotate_checkpoints

from gpocli.errors import EnvironmentFault, SpecError, everywhere
from gpocli.runs.checkpoints import damage, is_sealed, latest_whole, layout_change, seal
from gpocli.trainers.state import has_state, layout_of, save_state

logger = logging.getLogger("gpocli")


def save_whole(trainer: Any, checkpoint: Path, parent: Callable[[], None]) -> None:
    """Save the state and what `parent` saves, seal it, and only then let older checkpoints go.

    Raises `EnvironmentFault` as `written` does.
    """

    def save() -> None:
        save_state(trainer, checkpoint)
        parent()

    def close() -> None:
        if args.should_save:
            seal(checkpoint, layout=layout_of(trainer), sources=trainer.sources)

    args = trainer.args
    limit, args.save_total_limit = args.save_total_limit, None
    try:
        written(trainer, checkpoint, partial(_remove, trainer, checkpoint))
        written(trainer, checkpoint, save)
        written(trainer, checkpoint, close)
    finally:
        args.save_total_limit = limit
    if args.should_save:
        rotate_checkpoints(str(checkpoint.parent), limit, trainer.state.best_model_checkpoint, use_mtime=True)


def written(trainer: Any, folder: Path, write: Callable[[], None]) -> None:
    """Let every process write into `folder`, and wait for all of them.

    Raises `EnvironmentFault` in all when the disk of one takes no more; what is in the folder is removed then.
    """
    fault = None
    try:
        write()
    except (OSError, RuntimeError, SafetensorError) as error:
        fault = _of_the_disk(error)
        if fault is None:
            raise
        if trainer._processes.count > 1:
            fault += f" on host '{socket.gethostname()}', process {trainer._processes.index}"
    faults = [one for one in trainer._processes.objects([fault]) if one is not None]
    if faults:
        _remove(trainer, folder)
        full = EnvironmentFault(f"cannot save '{folder}' ({faults[0]}); mend that and go on with --resume")
        raise everywhere(full, is_main=trainer.accelerator.is_main_process)


def remove_reference(trainer: Any, model: Path) -> None:
    """Remove the adapter that TRL saves beside a trained one: what that was before, which the KL term compares with."""
    if "ref" in getattr(trainer.accelerator.unwrap_model(trainer.model), "peft_config", ()):
        _remove(trainer, model / "ref")


def resumable(trainer: Any, wanted: str | bool | None) -> str | None:
    """The checkpoint to go on from, whole and of the same layout; True stands for the last whole one of the run.

    Raises `SpecError` in every process. What TRL's own trainer wrote is taken as it is.
    """
    if not wanted:
        return None
    found = _found(trainer, wanted) if trainer.accelerator.is_main_process else None
    checkpoint, fault = trainer._processes.objects([found])[0]
    if fault is not None:
        raise everywhere(SpecError(fault), is_main=trainer.accelerator.is_main_process)
    return str(checkpoint)


def _found(trainer: Any, wanted: str | bool) -> tuple[Path, str | None]:
    """A checkpoint, and why the run cannot go on from it."""
    if isinstance(wanted, str):
        checkpoint = Path(wanted)
        if not is_sealed(checkpoint) and not has_state(checkpoint):
            return checkpoint, None
        if fault := damage(checkpoint):
            return checkpoint, f"'{checkpoint}' is damaged ({fault}); resume from another"
        return checkpoint, layout_change(checkpoint, layout_of(trainer))
    folder = Path(trainer.args.output_dir)
    latest, damaged = latest_whole(folder)
    for name, fault in damaged.items():
        logger.warning("'%s' is damaged (%s)", folder / name, fault)
    if latest is None:
        return folder, f"'{folder}' has no whole checkpoint to resume from; train without resuming"
    return latest, layout_change(latest, layout_of(trainer))


def _remove(trainer: Any, folder: Path) -> None:
    if trainer.args.should_save:
        shutil.rmtree(folder, ignore_errors=True)


def _of_the_disk(error: Exception) -> str | None:
    """Why something could not be written, None for errors of another kind; only Python's own have a number."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if number := re.search(r"os error (\d+)", str(error)):  # safetensors
        return os.strerror(int(number[1]))
    if re.search(r"inline_container|iostream|PytorchStreamWriter", str(error)):  # torch
        return "the disk is full, or files may not be that large"
    return None
