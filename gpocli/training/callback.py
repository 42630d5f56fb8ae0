"""The trainer's side of progress and metrics: hears every step, log and evaluation, in the main process only."""

from collections.abc import Callable
from typing import Any

from transformers import (
    PrinterCallback,
    ProgressCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from gpocli.display.progress import Progress
from gpocli.runs.metrics import Kind, kind_of, with_generation


class ProgressLink(TrainerCallback):  # type: ignore[misc]
    """Feeds a `Progress`, and writes each log as a line of metrics through `write_metrics(step, kind, logs)`.

    A training step that used an earlier generation batch has `"new_generation": false` in its line. The end of
    training is not told to the progress: whoever runs the trainer knows how it ended.
    """

    def __init__(
        self,
        progress: Progress,
        description: str,
        write_metrics: Callable[[int, Kind, dict[str, Any]], None] | None = None,
    ) -> None:
        self.progress = progress
        self.description = description
        self.write_metrics = write_metrics

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        if state.is_world_process_zero:
            self.progress.start(state.max_steps, self.description, state.global_step)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if state.is_world_process_zero:
            self.progress.step(state.global_step, {})

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not state.is_world_process_zero or not logs:
            return
        kind = kind_of(logs)
        if kind == "train":
            logs = with_generation(logs, kind)
            self.progress.step(state.global_step, logs)
        elif kind == "eval":
            self.progress.eval(logs)
        if self.write_metrics is not None:
            self.write_metrics(state.global_step, kind, logs)


class LastStepLogged(TrainerCallback):  # type: ignore[misc]
    """Logs the last step of a run whatever `run.log_every` is, or the steps after the last line would go untold."""

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if state.global_step >= state.max_steps:
            control.should_log = True


def take_over_display(trainer: Any, link: ProgressLink) -> None:
    """Put `link` in place of transformers' progress bars and printed dictionaries, and let it hear the last step."""
    for callback in (ProgressCallback, PrinterCallback):
        trainer.remove_callback(callback)
    trainer.add_callback(LastStepLogged())
    trainer.add_callback(link)
