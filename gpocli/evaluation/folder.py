"""What an evaluation leaves on disk, and who may write there.

RUN/evaluations/<name>/
    evaluation.json  what was evaluated and how, and the figures once it is done; docs/evaluation.md has its fields
    candidates/      the answers, as a run records its candidates: one file a prompt, whose number is the step
    evaluation.lock  held by the process that writes here
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from gpocli.errors import SpecError
from gpocli.runs.locks import lock
from gpocli.runs.records import CandidateRecord, CandidateWriter, record_files, step_of_file
from gpocli.runs.writing import writing

NAME = "evaluation.json"
FORMAT = 1


class EvaluationFolder:
    """The folder of one evaluation, claimed for this process until `close` or its end.

    Raises SpecError where another process writes there, and EnvironmentFault where nothing can be written.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.path, self.candidates_path = path, path / "candidates"
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = (path / "evaluation.lock").open("wb")
        if not lock(self._lock.fileno()):
            self._lock.close()
            raise SpecError(f"'{path}' is being written by another process; wait for it")
        self._write = CandidateWriter(self.candidates_path)
        self.facts: dict[str, Any] = {"format": FORMAT, "state": "begun", **facts} | read_facts(path)
        self._save()

    @property
    def recorded(self) -> set[int]:
        """The numbers of the prompts whose answers are recorded."""
        return {step_of_file(file) for file in record_files(self.candidates_path)}

    def append(self, records: Sequence[CandidateRecord]) -> None:
        """Add all answers to one prompt. Raises EnvironmentFault."""
        self._write(records)

    def tell(self, **facts: Any) -> None:
        """Change or add facts. Raises EnvironmentFault."""
        self.facts |= facts
        self._save()

    def close(self) -> None:
        """Give the claim up."""
        self._lock.close()

    def _save(self) -> None:
        target, part = self.path / NAME, self.path / f"{NAME}.part"
        with writing(target):
            part.write_text(json.dumps(self.facts, indent=1, allow_nan=False) + "\n", encoding="utf-8", newline="\n")
            os.replace(part, target)


def read_facts(path: Path) -> dict[str, Any]:
    """What `evaluation.json` says; empty where there is none, or none that can be read."""
    try:
        facts = json.loads((path / NAME).read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def evaluations_in(parent: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The evaluations that are done in a folder, each with its facts, the oldest first."""
    found = [(file.parent, read_facts(file.parent)) for file in parent.glob(f"*/{NAME}")]
    done = [(path, facts) for path, facts in found if facts.get("state") == "done"]
    return sorted(done, key=lambda one: (str(one[1].get("ended")), one[0].name))
