"""The recorded candidates of a run as groups, read file by file: a run of a million is not read to show ten."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from gpocli.runs.records import CandidateRecord, candidate_records, read_candidates, record_files, step_of_file

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class RecordedGroup:
    """The candidates that were drawn for one prompt of one generation batch, in their order."""

    candidates: Sequence[CandidateRecord]

    @property
    def step(self) -> int:
        return self.candidates[0].step

    @property
    def number(self) -> int:
        """Of the group within its generation batch."""
        return self.candidates[0].group

    @property
    def prompt_id(self) -> str:
        return str(self.candidates[0].prompt_id)

    @property
    def prompt(self) -> str:
        return self.candidates[0].prompt


@dataclass(frozen=True, slots=True)
class GroupFiles:
    """The folder of recorded candidates of a run: one file a generation batch."""

    folder: Path

    @property
    def files(self) -> list[Path]:
        """In the order they were written; none where nothing is recorded."""
        return record_files(self.folder)

    @property
    def steps(self) -> list[int]:
        """Those with records, ascending."""
        return sorted({step_of_file(file) for file in self.files})

    def batches(
        self,
        steps: Callable[[int], bool] | None = None,
        prompt_id: str | None = None,
    ) -> Iterator[list[RecordedGroup]]:
        """The generation batches of these steps, in order, with the groups of one prompt or of all; none is empty.

        Raises SpecError for a damaged file.
        """
        for file in self.files:
            if steps is not None and not steps(step_of_file(file)):
                continue
            if prompt_id is not None and not _has_prompt(file, prompt_id):
                continue
            found = [one for one in groups_of(read_candidates(file)) if prompt_id in (None, one.prompt_id)]
            if found:
                yield found


def groups_of(table: "pa.Table") -> list[RecordedGroup]:
    """The groups of one generation batch."""
    return [RecordedGroup(list(group)) for _, group in groupby(candidate_records(table), key=lambda one: one.group)]


def _has_prompt(file: Path, prompt_id: str) -> bool:
    """Whether a file may hold a prompt; a damaged one may, and is told when it is read."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        # one file, not a data set of one, and no Python values: a thousand files of a million rows in a second
        with pq.ParquetFile(file) as opened:
            column = opened.read(columns=["prompt_id"])["prompt_id"]
    except (pa.ArrowException, OSError, KeyError):
        return True
    return bool(pc.index(column, prompt_id, 0, len(column)).as_py() >= 0)
