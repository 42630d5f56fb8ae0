"""The trainer's side of guards: each line of its log is shown to them, and all processes stop where one says so."""

import os
import shlex
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from gpocli.contracts.guards import Guards, Verdict
from gpocli.errors import GuardError, everywhere
from gpocli.runs.checkpoints import step_of
from gpocli.runs.directory import RunDirectory
from gpocli.runs.metrics import kind_of, plain
from gpocli.trainers.checkpoints import written


class Watched(TrainerCallback):  # type: ignore[misc]
    """Shows guards what a trainer logs; `stopped` is the verdict that ended the run.

    Each process has the same guards, and all of them see the figures of the main one, so all stop at the same place. A
    resumed run shows them the lines that came before.
    """

    def __init__(self, trainer: Any, guards: Guards, directory: RunDirectory, algorithm: str) -> None:
        self.stopped: Verdict | None = None
        self._trainer, self._guards, self._directory = trainer, guards, directory
        self._resume = f"gpo train {algorithm} --resume --out {shlex.quote(str(directory.path))}"

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        lines = self._of_main(self._directory.read_metrics() if state.is_world_process_zero else [])
        for line in lines:
            if line.get("kind") == "train" and line["step"] <= state.global_step:
                self._guards.look(line["step"], _figures(line))

    def on_optimizer_step(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if "weights" not in self._guards:
            return
        is_broken = not is_finite(self._trainer.model)
        if self._trainer._processes.largest(int(is_broken)):
            self._trainer._metrics["train"].setdefault("weights/not_finite", []).append(1.0)
            control.should_log = True  # whatever run.log_every is: nothing that follows means anything

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not logs or kind_of(logs) != "train":
            return
        verdicts = self._guards.look(state.global_step, self._of_main(_figures(plain(logs))))
        self.stopped = next((one for one in verdicts if one.action != "warn"), None)
        for one in verdicts:
            if one.action == "warn" and state.is_world_process_zero:
                self._trainer.on_note(str(one))
        if self.stopped is not None:
            control.should_training_stop = True
            control.should_evaluate = False
            control.should_save = self.stopped.action == "stop"

    def end_if_dying(self) -> None:
        """Raise `GuardError` in every process when a guard has stopped the run."""
        verdict = self.stopped
        if verdict is None:
            return
        left = f"stopped at checkpoint-{verdict.step}" if verdict.action == "stop" else self._restored(verdict)
        on = f"; to go on all the same: {self._resume} --set guards.{verdict.name}=off"
        stop = GuardError(f"{verdict}; {left}{on if self._directory.latest_checkpoint() else ''}")
        raise everywhere(stop, is_main=self._trainer.accelerator.is_main_process)

    def _restored(self, verdict: Verdict) -> str:
        """What is left of the run when it is as it was while it was well."""
        directory, trainer = self._directory, self._trainer
        good = self._of_main(_last_good(directory, verdict.good) if trainer.accelerator.is_main_process else None)
        if good is None:
            return "stopped, and no checkpoint is from before; write run.save_every to have some next time"
        trainer._load_from_checkpoint(str(good))
        written(trainer, directory.model_path, lambda: trainer.save_model(str(directory.model_path)))
        return f"stopped, and back at {good.name}, whose weights model/ has"

    def _of_main(self, item: Any) -> Any:
        """What the main process has."""
        return self._trainer._processes.objects([item])[0]


def is_finite(model: torch.nn.Module) -> bool:
    """Whether all trained weights that this process has are finite numbers."""
    trained = [_own_part(weight) for weight in model.parameters() if weight.requires_grad]
    trained = [weight for weight in trained if weight.numel()]  # none where others have all of it
    return not trained or bool(torch.nn.utils.get_total_norm(trained, torch.inf).isfinite())


def _own_part(weight: torch.Tensor) -> torch.Tensor:
    part: torch.Tensor = weight.to_local() if hasattr(weight, "to_local") else weight
    return part.detach()


def _figures(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("step", "kind", "time")}


def _last_good(directory: RunDirectory, step: int) -> Path | None:
    """The last whole checkpoint up to a step; later ones get a name under which nobody resumes from them."""
    for checkpoint in directory.checkpoints_path.glob("checkpoint-*"):
        if checkpoint.name.removeprefix("checkpoint-").isdigit() and step_of(checkpoint) > step:
            os.replace(checkpoint, checkpoint.with_name(f"dying-{checkpoint.name}"))
    return directory.latest_checkpoint()
