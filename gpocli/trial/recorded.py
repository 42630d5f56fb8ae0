"""Completions that a run has recorded, each with the data row that it answers."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from gpocli.data import ROW_KEY, Rows
from gpocli.errors import SpecError, counted
from gpocli.runs.directory import RunDirectory
from gpocli.runs.records import CandidateRecord, candidate_records, read_candidates
from gpocli.spec import RunSpec
from gpocli.spec.load import load_spec
from gpocli.trial.samples import Candidate, Group, Samples


def run_spec(run: Path) -> RunSpec:
    """The spec that a run was made with. Raises SpecError."""
    path = RunDirectory(run).spec_path
    if not path.is_file():
        raise SpecError(f"'{run}' is no run directory (it has no {path.name}); check the path")
    return load_spec([path]).spec


def recorded(run: Path, rows: Rows, count: int) -> Samples:
    """Up to `count` groups spread evenly over the run, without lost candidates, whose text is not whole.

    `rows` are the data of the run. Raises SpecError when there are no candidates, or a row is missing.
    """
    table = read_candidates(run)
    spans = _spans(table.select(["step", "group", "candidate"]).to_pylist())
    chosen = [spans[number * len(spans) // min(count, len(spans))] for number in range(min(count, len(spans)))]
    index_of = {str(line): index for index, line in enumerate(rows.lines)}
    groups, lost = [], 0
    for start, end in chosen:
        of_group = list(candidate_records(table.slice(start, end - start)))
        records = [record for record in of_group if record.outcome != "lost"]
        lost += len(of_group) - len(records)
        if not records:
            continue
        index = index_of.get(str(records[0].prompt_id))
        if index is None:
            raise SpecError(
                f"the candidates in '{run}' answer row {records[0].prompt_id}, which {rows.source} does not have; "
                "name the data of the run with --data"
            )
        groups.append(Group({**rows[index], ROW_KEY: rows.lines[index]}, [*map(_candidate, records)]))
    total = sum(len(group.candidates) for group in groups)
    origin = f"{counted(total, 'recorded completion')} of {counted(len(groups), 'group')} of {run}"
    if lost:
        origin += f"; {counted(lost, 'lost candidate')} of them left out, whose text is not whole"
    return Samples(origin, groups, are_recorded=True)


def _spans(places: list[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Where each group begins and ends in the table."""

    def goes_on(before: Mapping[str, Any], here: Mapping[str, Any]) -> bool:
        # After a resume a step may stand in the table twice, and its candidates count from the first again.
        same_group = (here["step"], here["group"]) == (before["step"], before["group"])
        return same_group and here["candidate"] > before["candidate"]

    starts = [place for place, pair in enumerate(pairwise(places), start=1) if not goes_on(*pair)]
    return list(pairwise([0, *starts, len(places)])) if places else []


def _candidate(record: CandidateRecord) -> Candidate:
    place = f"candidate {record.candidate} of group {record.group} of step {record.step}"
    return Candidate(
        record.outcome, place, record.completion, record.tokens, record.finished, record.rewards, record.reward
    )
