"""Signals during training: leave a whole checkpoint of the last step, at once or after the step under way."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from gpocli.contracts.callables import one_line_cause
from gpocli.errors import GpoError, Interrupted, PluginError
from gpocli.trainers.stop import Stop
from gpocli.training.loading_signals import handled
from gpocli.training.time_limit import TimeLimit

_FORWARDING = 5.0
"""Seconds within which torchrun hands on the Ctrl-C that its processes had from the terminal already."""


class StopSignals(TrainerCallback):  # type: ignore[misc]
    """Turns the first signal into an end of training with a checkpoint; a Ctrl-C after it ends the run at once.

    Other signals may come more often: schedulers and launchers repeat them. `received` is the signal that stopped the
    run after a step, None while none has. Processes of one run stop at the same place, whichever got the signal.
    """

    def __init__(self, stop: Stop, notify: Callable[[str], None], limit: TimeLimit) -> None:
        self.received: signal.Signals | None = None
        self._stop, self._notify, self._limit = stop, notify, limit
        self._first = 0.0

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        if number := self._stop.agreed():
            self.received = signal.Signals(number)
            control.should_save = control.should_training_stop = True

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Catch the signals inside."""
        with handled(self._receive):
            yield

    def interruption(self, error: KeyboardInterrupt, text: str) -> GpoError:
        """What a KeyboardInterrupt in training is: a Ctrl-C, told by `text`, or what somebody raised without one."""
        if self._stop.asked:
            return Interrupted(text, signal.SIGINT)
        return PluginError(f"a reward or filter raised {one_line_cause(error)}; let it raise an Exception")

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if not self._stop.asked:
            self._first = time.monotonic()
            told = self._told(signal.Signals(number))
            self._stop.asked = number
            self._notify(told)
            self._stop.ask(number)
        elif number == signal.SIGINT and not self._is_forwarded():
            raise KeyboardInterrupt

    def _is_forwarded(self) -> bool:
        return "TORCHELASTIC_RUN_ID" in os.environ and time.monotonic() - self._first < _FORWARDING

    def _told(self, number: signal.Signals) -> str:
        is_key = number == signal.SIGINT
        reason = "" if is_key else f"{'run.max_minutes' if self._limit.is_reached else number.name}: "
        if self._stop.is_at_once:
            return f"{reason}stopping at once, as the run was after its last step"
        when = (
            "with a checkpoint when all processes can" if self._stop.is_shared else "after this step with a checkpoint"
        )
        return f"{reason}stopping {when}; {'once more' if is_key else 'Ctrl-C'} stops at once"
