"""A run that is asked to stop leaves at once while it samples, scores or evaluates, and else after its step.

Nothing of that changes weights, optimizer or schedule: the run is saved as it was after the last step, and what was
under way is drawn again, the same, when it is resumed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from gpocli.runs.checkpoints import is_sealed
from gpocli.trainers.gathering import spread_by
from gpocli.trainers.state import LastStep


class StopNow(BaseException):
    """Leaves the training of a run whose last step `Stop.save` can save. Not an Exception, which rewards may catch.

    `number` is that of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number


class Stop:
    """Whether the run of a trainer is to stop, and the places from which it can be left at once.

    With several processes all of them leave from the same place: where each samples for itself, those that are asked
    break off, and all agree when the last one has its completions. Every process must pass the same places.
    """

    def __init__(self, trainer: Any) -> None:
        self._trainer = trainer
        self.asked = 0
        """The number of the signal that this process was asked with; 0 while it was not."""
        self._is_open = False
        self._last: LastStep | None = None

    @property
    def is_at_once(self) -> bool:
        """Whether the run would be left from where it is now."""
        return self._is_open

    @property
    def is_shared(self) -> bool:
        """Whether it is for several processes to agree when the run is left."""
        return bool(self._trainer._processes.count > 1)

    def ask(self, number: int) -> None:
        """Ask to stop, in a handler of signals; raises `StopNow` where that is possible at once."""
        self.asked = self.asked or number
        if self._is_open:
            self._is_open = False
            raise StopNow(number)

    def agreed(self) -> int:
        """The number that some process was asked with, the same in all; 0 when none was. All must call it."""
        return int(self._trainer._processes.largest(self.asked))

    def remember(self) -> None:
        """Note what a checkpoint has of the step that is done."""
        self._last = LastStep.of(self._trainer)

    def remember_before_evaluation(self) -> None:
        """The same, with an evaluation to come, which a resumed run will do first."""
        self._last = LastStep.of(self._trainer, owes_evaluation=True)

    @contextmanager
    def unchanging(self) -> Iterator[None]:
        """A part of the run that changes nothing which `remember` has not noted."""
        if self._trainer._processes.count == 1:
            with self._open():
                yield
        else:
            yield
            self.leave_if_agreed()

    @contextmanager
    def sampling(self) -> Iterator[None]:
        """The sampling of one process in such a part."""
        if self._trainer._processes.count == 1 or not self._samples_alone():
            yield
            return
        try:
            with self._open():
                yield
        except StopNow:
            raise StopNow(self.agreed()) from None
        self.leave_if_agreed()

    def leave_if_agreed(self) -> None:
        """Leave where some process was asked to."""
        if number := self.agreed():
            raise StopNow(number)

    def save(self) -> None:
        """Save the last step after `StopNow`, where there was one and its checkpoint is not there yet."""
        trainer = self._trainer
        name = f"{PREFIX_CHECKPOINT_DIR}-{trainer.state.global_step}"
        if self._last is None or not trainer.state.global_step or is_sealed(Path(trainer.args.output_dir) / name):
            return
        self._last.restore(trainer)
        trainer._save_checkpoint(trainer.model_wrapped, None)

    @contextmanager
    def _open(self) -> Iterator[None]:
        if self.asked:
            raise StopNow(self.asked)
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False

    def _samples_alone(self) -> bool:
        """Whether no process waits for another one while it samples, and all sample equally often."""
        trainer = self._trainer
        is_shared = trainer.use_vllm or spread_by(trainer) is not None
        return not is_shared and not trainer.tools and trainer.rollout_func is None
