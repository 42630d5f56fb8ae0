"""The record of every candidate: one parquet file a generation batch, written as soon as it is scored.

Columns: `step`, `prompt_id` (text), `group`, `candidate`, `prompt`, `completion`, `tokens` (list of int32), `length`
(tokens), `finished`, `reward/<name>` for each reward, `reward` (their weighted sum), `filter_score` (list of double),
`kept`, `outcome`, `advantage`. See `CandidateRecord` for their meaning.
"""

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gpocli.errors import SpecError, first_line
from gpocli.runs.writing import writing

if TYPE_CHECKING:
    import pyarrow as pa

Outcome = Literal["kept", "rejected", "lost", "flat"]

_FILE = re.compile(r"step-(\d+)(?:-\d+)?\.parquet")
_REWARD = "reward/"


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """One candidate of one generation batch, with everything that decided its fate.

    `step` is the optimizer step that the generation batch was made for, `prompt_id` names the data row,
    `group` and `candidate` count from 0 within the generation batch and within the group. `length` is in
    tokens, the end token included; for a lost candidate it is the length at which it was stopped. `rewards`
    holds each reward by name, None where it does not apply or was not asked; `reward` is their weighted sum.
    `filter_score` has one number a filter of the chain. `outcome` is "kept", "rejected", "lost", or "flat": chosen in a
    group of one reward whose place another prompt got. `advantage` is None for a candidate that the policy is not
    trained on.
    """

    step: int
    prompt_id: str | int
    group: int
    candidate: int
    prompt: str
    completion: str
    tokens: list[int]
    length: int
    finished: bool
    rewards: dict[str, float | None]
    reward: float | None
    filter_score: tuple[float, ...] | None
    kept: bool
    outcome: Outcome
    advantage: float | None


class CandidateWriter:
    """Writes the candidates of each generation batch into a folder of its own files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._last: tuple[int, int] = (-1, 0)

    def __call__(self, records: Sequence[CandidateRecord]) -> None:
        """Write one generation batch; a crash leaves the file whole or not at all. Raises EnvironmentFault."""
        if not records:
            return
        import pyarrow.parquet as pq

        path = self._next_path(records[0].step)
        part = path.with_suffix(".part")
        with writing(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(candidate_table(records), part, compression="zstd")
            os.replace(part, path)

    def _next_path(self, step: int) -> Path:
        batch = self._last[1] + 1 if self._last[0] == step else 0
        self._last = (step, batch)
        return self.folder / (f"step-{step:06d}.parquet" if batch == 0 else f"step-{step:06d}-{batch}.parquet")


def candidate_table(records: Sequence[CandidateRecord]) -> "pa.Table":
    """The records as an Arrow table. Half surrogate pairs, which no file can hold, are written as `\\udXXX`."""
    import pyarrow as pa

    columns: dict[str, tuple[Any, list[Any]]] = {
        "step": (pa.int64(), [record.step for record in records]),
        "prompt_id": (pa.string(), [_text(str(record.prompt_id)) for record in records]),
        "group": (pa.int32(), [record.group for record in records]),
        "candidate": (pa.int32(), [record.candidate for record in records]),
        "prompt": (pa.string(), [_text(record.prompt) for record in records]),
        "completion": (pa.string(), [_text(record.completion) for record in records]),
        "tokens": (pa.list_(pa.int32()), [record.tokens for record in records]),
        "length": (pa.int32(), [record.length for record in records]),
        "finished": (pa.bool_(), [record.finished for record in records]),
    }
    for name in dict.fromkeys(name for record in records for name in record.rewards):
        columns[_REWARD + name] = (pa.float64(), [_number(record.rewards.get(name)) for record in records])
    columns |= {
        "reward": (pa.float64(), [_number(record.reward) for record in records]),
        "filter_score": (pa.list_(pa.float64()), [record.filter_score for record in records]),
        "kept": (pa.bool_(), [record.kept for record in records]),
        "outcome": (pa.string(), [record.outcome for record in records]),
        "advantage": (pa.float64(), [_number(record.advantage) for record in records]),
    }
    return pa.table({name: pa.array(values, kind) for name, (kind, values) in columns.items()})


def read_candidates(path: Path | str) -> "pa.Table":
    """All candidates of a run as one Arrow table, in the order of the steps.

    `path` is a run directory, its `candidates` folder, or one file of it. Raises SpecError when there are none.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    inner = path / "candidates"
    files = [path] if path.is_file() else record_files(inner if inner.is_dir() else path)
    if not files:
        raise SpecError(f"no recorded candidates in '{path}'; name a run directory that has some")
    try:
        return pa.concat_tables([pq.read_table(file, partitioning=None) for file in files], promote_options="default")
    except (pa.ArrowException, OSError) as error:
        raise SpecError(
            f"cannot read the candidates in '{path}' ({first_line(error)}); leave the damaged file out"
        ) from error


def candidate_records(table: "pa.Table") -> Iterator[CandidateRecord]:
    """The rows of `read_candidates` as records again; `prompt_id` is text then."""
    names = [name.removeprefix(_REWARD) for name in table.column_names if name.startswith(_REWARD)]
    for row in table.to_pylist():
        rewards = {name: row.pop(_REWARD + name) for name in names}
        score = row.pop("filter_score")
        yield CandidateRecord(**row, rewards=rewards, filter_score=None if score is None else tuple(score))


def rewind_candidates(folder: Path, step: int) -> None:
    """Remove the candidates of later steps than `step`, which a resumed run will sample again."""
    for file in record_files(folder):
        if step_of_file(file) > step:
            file.unlink()


def record_files(folder: Path) -> list[Path]:
    """The candidate files of a folder in the order they were written."""
    if not folder.is_dir():
        return []
    files = [file for file in folder.iterdir() if _FILE.fullmatch(file.name)]
    return sorted(files, key=lambda file: (step_of_file(file), len(file.name), file.name))


def step_of_file(file: Path) -> int:
    """The step of a candidate file, -1 of any other."""
    match = _FILE.fullmatch(file.name)
    return int(match[1]) if match else -1


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _text(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
