"""Ctrl-C and TERM during training: end the step, save a whole checkpoint, leave."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignals(TrainerCallback):  # type: ignore[misc]
    """Turns the first signal into a checkpoint and an end of training after the step; a second one ends at once.

    `received` is the signal that stopped the run, None while none has. Processes of one run stop after the same
    step, whichever got the signal first.
    """

    def __init__(self, notify: Callable[[str], None]) -> None:
        self.received: signal.Signals | None = None
        self._caught: signal.Signals | None = None
        self._notify = notify

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        self.received = _first_of_all(self._caught, args)
        if self.received is not None:
            control.should_save = control.should_training_stop = True

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Catch the signals inside."""
        before = {number: signal.signal(number, self._receive) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self._caught is not None:
            raise KeyboardInterrupt
        self._caught = signal.Signals(number)
        self._notify("stopping after this step with a checkpoint; once more stops at once")


def _first_of_all(caught: signal.Signals | None, args: TrainingArguments) -> signal.Signals | None:
    """A signal that some process has caught."""
    if args.world_size == 1:
        return caught
    number = torch.tensor(caught or 0, device=args.device)
    torch.distributed.all_reduce(number, op=torch.distributed.ReduceOp.MAX)
    return signal.Signals(int(number)) if number else None
