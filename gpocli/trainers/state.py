"""The state of a run: all that a step depends on besides what transformers and TRL put into a checkpoint themselves.

They keep weights, optimizer, schedule, random states, their own counters and the entropy coefficient. The seeds of the
samplers follow from the place in the run (`Sampler`), so that they need no state.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from gpocli.errors import SpecError

_REFERENCE = "reference.pt"


@dataclass(frozen=True)
class RunState:
    """What one process must find again.

    The micro-batches are those of a generation batch that is not used up, None between two. The figures are those that
    no log has told yet; the losses are sums over steps, up to the last log and since then.
    """

    micro_step: int
    micro_batches: list[dict[str, Any]] | None
    filter: dict[str, Any] | None
    figures: dict[str, list[float]]
    last_log: int
    logged_loss: float
    open_loss: torch.Tensor
    seconds: float

    @classmethod
    def of(cls, trainer: Any) -> "RunState":
        """The state of a trainer between two steps."""
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
        )

    def restore(self, trainer: Any) -> None:
        """Put back what transformers leaves alone when training begins; `ResumeCallback` puts back the rest."""
        trainer._step, trainer._buffered_inputs = self.micro_step, self.micro_batches
        trainer._metrics["train"].clear()
        trainer._metrics["train"].update({name: list(values) for name, values in self.figures.items()})
        if trainer.group_filter is not None and self.filter is not None:
            trainer.group_filter.load_state_dict(self.filter)


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
            trainer._globalstep_last_logged = resumed.last_log
            trainer._total_loss_scalar = resumed.logged_loss
            trainer._tr_loss = resumed.open_loss
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
    if _reference_moves(trainer):
        if _is_sharded(trainer):
            raise SpecError("a run with sync_ref_model cannot be resumed under FSDP or DeepSpeed; start anew")
        weights = torch.load(checkpoint / _REFERENCE, map_location=where, weights_only=True)
        accelerator.unwrap_model(trainer.ref_model).load_state_dict(weights)
    return state


def _reference_moves(trainer: Any) -> bool:
    return trainer.args.sync_ref_model and trainer.ref_model is not None


def _is_sharded(trainer: Any) -> bool:
    return bool(trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled)


def _path(checkpoint: Path, process: int) -> Path:
    return checkpoint / f"run_state_{process}.pt"
