"""Ctrl-C and TERM during training: end the step, save a whole checkpoint, leave."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignals(TrainerCallback):  # type: ignore[misc]
    """Turns the first signal into a checkpoint and an end of training after the step; a second one ends at once.

    `received` is the signal that stopped the run, None while none has.
    """

    def __init__(self, notify: Callable[[str], None]) -> None:
        self.received: signal.Signals | None = None
        self._notify = notify

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
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
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = signal.Signals(number)
        self._notify("stopping after this step with a checkpoint; once more stops at once")
