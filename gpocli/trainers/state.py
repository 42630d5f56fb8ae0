"""The state of a run: all that a step depends on besides what transformers and TRL put into a checkpoint themselves.

They keep weights, optimizer, schedule, random states, their own counters and the entropy coefficient. The seeds of the
samplers follow from the place in the run (`Sampler`), so that they need no state.
"""

import copy
import random
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import TrainerCallback, TrainerState
from transformers.trainer import TRAINER_STATE_NAME

from gpocli.errors import SpecError

_REFERENCE = "reference.pt"


@dataclass(frozen=True)
class RunState:
    """What one process must find again.

    The micro-batches are those of a generation batch that is not used up, None between two. The figures are those that
    no log has told yet; the losses are sums over steps, up to the last log and since then. The place is that of
    `Refill` in the data order, 0 where the data loader counts it.
    """

    micro_step: int
    micro_batches: list[dict[str, Any]] | None
    filter: dict[str, Any] | None
    figures: dict[str, list[float]]
    last_log: int
    logged_loss: float
    open_loss: torch.Tensor
    seconds: float
    place: int
    owes_evaluation: bool = False

    @classmethod
    def of(cls, trainer: Any) -> "RunState":
        """The state of a trainer between two steps, or before the evaluation of one."""
        is_used_up = trainer._step % (trainer.args.steps_per_generation * trainer.num_iterations) == 0
        return cls(
            micro_step=trainer._step,
            micro_batches=None if is_used_up else trainer._buffered_inputs,
            filter=None if trainer.group_filter is None else trainer.group_filter.state_dict(),
            figures={name: [float(value) for value in values] for name, values in trainer._metrics["train"].items()},
            last_log=trainer._globalstep_last_logged,
            logged_loss=trainer._total_loss_scalar,
            open_loss=trainer._tr_loss,
            seconds=time.time() - trainer.began,
            place=0 if trainer.refill is None else trainer.refill.place,
            owes_evaluation=trainer.owes_evaluation,
        )

    def copied(self) -> "RunState":
        """The same with a copy of all that the run goes on to change in place."""
        batches = None if self.micro_batches is None else [dict(batch) for batch in self.micro_batches]
        return replace(
            self, micro_batches=batches, filter=copy.deepcopy(self.filter), open_loss=self.open_loss.detach().clone()
        )

    def restore(self, trainer: Any) -> None:
        """Put back what transformers leaves alone when training begins; `ResumeCallback` puts back the rest."""
        trainer._step, trainer._buffered_inputs = self.micro_step, self.micro_batches
        if trainer.refill is not None:
            trainer.refill.place = self.place
        trainer._metrics["train"].clear()
        trainer._metrics["train"].update({name: list(values) for name, values in self.figures.items()})
        if trainer.group_filter is not None and self.filter is not None:
            trainer.group_filter.load_state_dict(self.filter)

    def restore_losses(self, trainer: Any) -> None:
        """Put back what transformers counts of losses, which it sets to nothing when training begins."""
        trainer._globalstep_last_logged = self.last_log
        trainer._total_loss_scalar = self.logged_loss
        trainer._tr_loss = self.open_loss


@dataclass(frozen=True)
class LastStep:
    """What a checkpoint of the last step has and sampling for the next one changes, in one process."""

    run: RunState
    counters: dict[str, Any]
    flos: float
    random: tuple[Any, ...]

    @classmethod
    def of(cls, trainer: Any, *, owes_evaluation: bool = False) -> "LastStep":
        """Of a trainer that is done with a step, or about to evaluate after it."""
        counters = {name: value for name, value in vars(trainer.state).items() if isinstance(value, int | float | str)}
        run = replace(RunState.of(trainer).copied(), owes_evaluation=owes_evaluation)
        return cls(run, counters, trainer.current_flos, _random_states(trainer.accelerator.device))

    def restore(self, trainer: Any) -> None:
        """Make the trainer save what it would have saved then."""
        self.run.restore(trainer)
        self.run.restore_losses(trainer)
        trainer.owes_evaluation = self.run.owes_evaluation
        vars(trainer.state).update(self.counters)
        trainer.current_flos = self.flos
        _set_random_states(trainer.accelerator.device, self.random)


def _random_states(device: torch.device) -> tuple[Any, ...]:
    own = None if device.type == "cpu" else torch.get_device_module(device).get_rng_state()
    return random.getstate(), np.random.get_state(), torch.get_rng_state(), own


def _set_random_states(device: torch.device, states: tuple[Any, ...]) -> None:
    python, numpy, cpu, own = states
    random.setstate(python)
    np.random.set_state(numpy)
    torch.set_rng_state(cpu)
    if own is not None:
        torch.get_device_module(device).set_rng_state(own)


class ResumeCallback(TrainerCallback):  # type: ignore[misc]
    """Begins to count a run's time and losses, or goes on with those of its checkpoint.

    transformers sets them to nothing right before it tells that training begins.
    """

    def __init__(self, trainer: Any) -> None:
        self._trainer = trainer
        self.resumed: RunState | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        trainer, resumed, self.resumed = self._trainer, self.resumed, None
        trainer.began = time.time()
        if resumed is not None:
            trainer.began -= resumed.seconds
            resumed.restore_losses(trainer)
            trainer._initial_global_step = 0


def layout_of(trainer: Any) -> dict[str, int]:
    """How a generation batch is spread: a state fits runs of the same layout alone."""
    args = trainer.args
    options = ("per_device_train_batch_size", "gradient_accumulation_steps", "steps_per_generation", "num_iterations")
    sizes = {"num_generations": trainer.group_size, "num_remains_in_group": trainer.keep}
    return {"processes": args.world_size} | {name: getattr(args, name) for name in options} | sizes


def has_state(checkpoint: Path) -> bool:
    """Whether gpo wrote a checkpoint, be it whole or not: TRL's own trainer leaves no state in it."""
    return _path(checkpoint, 0).exists()


def save_state(trainer: Any, checkpoint: Path) -> None:
    """Write the state of this process, and from the main one the reference model that follows the policy."""
    checkpoint.mkdir(parents=True, exist_ok=True)
    torch.save(vars(RunState.of(trainer)), _path(checkpoint, trainer.accelerator.process_index))
    if _reference_moves(trainer) and not _is_sharded(trainer) and trainer.args.should_save:
        torch.save(trainer.accelerator.unwrap_model(trainer.ref_model).state_dict(), checkpoint / _REFERENCE)


def load_state(trainer: Any, checkpoint: Path) -> RunState | None:
    """Put the state of this process into a trainer and return it; None where TRL's own trainer wrote the checkpoint."""
    accelerator = trainer.accelerator
    path = _path(checkpoint, accelerator.process_index)
    if not path.exists():
        return None
    # With several processes the device is "cpu:0", which torch.load does not know.
    where = "cpu" if accelerator.device.type == "cpu" else accelerator.device
    state = RunState(**torch.load(path, map_location=where, weights_only=True))
    state.restore(trainer)
    if state.owes_evaluation:
        trainer.owes_evaluation = trainer.args.eval_on_start = True  # where transformers asks for one before a step
    if _reference_moves(trainer):
        if _is_sharded(trainer):
            raise SpecError("a run with sync_ref_model cannot be resumed under FSDP or DeepSpeed; start anew")
        weights = torch.load(checkpoint / _REFERENCE, map_location=where, weights_only=True)
        accelerator.unwrap_model(trainer.ref_model).load_state_dict(weights)
    return state


def load_last_step(trainer: Any, checkpoint: Path) -> None:
    """Load the weights of a run that has done all its steps, and make up for an evaluation that it was left before."""
    trainer._load_from_checkpoint(str(checkpoint))
    path = _path(checkpoint, trainer.accelerator.process_index)
    if path.exists() and torch.load(path, map_location="cpu", weights_only=True).get("owes_evaluation"):
        done = TrainerState.load_from_json(str(checkpoint / TRAINER_STATE_NAME))
        trainer.state.global_step, trainer.state.epoch = done.global_step, done.epoch
        trainer.state.log_history = done.log_history
        trainer.evaluate()


def _reference_moves(trainer: Any) -> bool:
    return trainer.args.sync_ref_model and trainer.ref_model is not None


def _is_sharded(trainer: Any) -> bool:
    return bool(trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled)


def _path(checkpoint: Path, process: int) -> Path:
    return checkpoint / f"run_state_{process}.pt"
