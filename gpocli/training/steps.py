"""The steps of a run, from the first or from those of a checkpoint to the model that is saved."""

from functools import partial
from pathlib import Path
from typing import Any

from gpocli.errors import EnvironmentFault, ServerFault
from gpocli.runs.checkpoints import step_of
from gpocli.training.claim import Claim


def train_and_save(trainer: Any, claim: Claim, signals: Any, watched: Any) -> int | None:
    """Train and save the model; None, or the number of the signal that stopped the run before its end.

    Raises `GuardError` when a guard did.
    """
    from gpocli.trainers.checkpoints import written
    from gpocli.trainers.stop import StopNow

    directory = claim.directory
    if claim.checkpoint is not None and trainer.accelerator.is_main_process:
        directory.rewind_to(claim.checkpoint)
    try:
        _take_steps(trainer, claim.checkpoint)
    except StopNow as stop:
        trainer.stop.save()
        return stop.number
    except ServerFault:  # of all processes, while nothing has changed since the last step
        trainer.stop.save()
        raise
    except EnvironmentFault:
        directory.check_that_it_stands()  # what cannot be saved because that is gone is told as that
        raise
    watched.end_if_dying()
    if trainer.state.global_step < trainer.state.max_steps and signals.received is not None:
        received: int = signals.received
        return received
    directory.check_that_it_stands()
    with trainer.activity.doing("saving", lambda: "the model"):
        written(trainer, directory.model_path, partial(trainer.save_model, str(directory.model_path)))
    return None


def _take_steps(trainer: Any, checkpoint: Path | None) -> None:
    """Train to the end of the run, from `checkpoint` if there is one.

    transformers would take one step more from a checkpoint of the last step, which is there when a run was stopped
    before its final model was saved: the checkpoint is then only loaded.
    """
    last_step = trainer.args.max_steps
    if checkpoint is not None and 0 < last_step <= step_of(checkpoint):
        from gpocli.trainers.state import load_last_step

        load_last_step(trainer, checkpoint)
    else:
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
