"""Which of the candidates of a run are recorded: all by default, and fewer by a rule that a resumed run keeps, too."""

from collections.abc import Sequence
from typing import Literal

from gpocli.runs.directory import RunDirectory
from gpocli.runs.records import CandidateRecord, record_files, step_of_file

Which = Literal["all", "kept"]


class Recording:
    """Records those candidates of each generation batch that `which` says, in steps that are `every` apart.

    The first step is recorded, and then the first one that is at least `every` after the last recorded one. What is on
    disk tells which that was, so that a run that was stopped records the same.
    """

    def __init__(self, directory: RunDirectory, which: Which, every: int) -> None:
        self.directory, self.which, self.every = directory, which, every
        self._last: int | None = None

    def __call__(self, records: Sequence[CandidateRecord]) -> None:
        """Take a generation batch. Raises EnvironmentFault."""
        if not records or not self._is_due(records[0].step):
            return
        self._last = records[0].step
        self.directory.append_candidates([one for one in records if one.kept or self.which == "all"])

    def _is_due(self, step: int) -> bool:
        if self._last is None:
            files = record_files(self.directory.candidates_path)
            self._last = max(map(step_of_file, files), default=step - self.every)
        return step == self._last or step >= self._last + self.every
