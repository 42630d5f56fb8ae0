"""TRL's prompt order, made resumable in any epoch."""

import torch
from trl.trainer.utils import RepeatSampler


class EpochRepeatSampler(RepeatSampler):  # type: ignore[misc]
    """`RepeatSampler` whose order of an epoch depends on the seed and the epoch alone.

    TRL's draws one permutation after another from one generator, so a run that resumes in its third epoch would see
    the order of the first again. The orders are the same as TRL's, epoch by epoch.
    """

    def set_epoch(self, epoch: int) -> None:
        """Called by the trainer before each epoch, the first and a resumed one included."""
        if not self.shuffle:
            return
        self.generator.manual_seed(self.seed)
        for _ in range(epoch):
            torch.randperm(self.num_samples, generator=self.generator)
