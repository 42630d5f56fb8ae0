"""Many runs at a glance: where they are, and the few figures of each that are read from the ends of its files."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.errors import SpecError
from gpocli.runs.run import Run, State, is_run
from gpocli.runs.step_figures import StepFigures, read_logs

_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Overview:
    """A run in one line.

    `filters` are the names of the chain. `steps` are those taken, `of` those wanted, None where epochs say how long.
    `reward`, `accuracy` and `length` (tokens) are the last ones that were logged, of the kept completions. `size` is in
    bytes, `changed` in seconds since 1970. What is not known is None.
    """

    path: str
    name: str
    state: State
    algorithm: str | None
    filters: list[str]
    model: str | None
    steps: int
    of: int | None
    reward: float | None
    accuracy: float | None
    length: float | None
    size: int
    changed: float | None


def find_runs(folders: Sequence[Path]) -> list[Run]:
    """The runs in these folders and up to three levels below them, by path. Raises SpecError for what is no folder."""
    for folder in folders:
        if not folder.is_dir():
            raise SpecError(f"no folder '{folder}'; name one that has run directories in it")
    found = {path.resolve(): path for folder in folders for path in _below(folder, _DEPTH)}
    return [Run(path) for path in sorted(found.values())]


def overview(run: Run) -> Overview:
    """What a list says of a run, be it broken."""
    try:
        spec = run.outline
    except SpecError:
        spec = {}
    algorithm, lines = _section(spec, "algorithm"), run.last_metrics
    figures = last_figures(lines)
    return Overview(
        path=str(run.path),
        name=run.name,
        state=run.state,
        algorithm=algorithm.get("type"),
        filters=[one["name"] for one in algorithm.get("filters") or []],
        model=_section(spec, "model").get("name"),
        steps=max((line["step"] for line in lines), default=0),
        of=_section(spec, "run").get("steps"),
        reward=figures.reward,
        accuracy=figures.accuracy,
        length=figures.length,
        size=run.size(),
        changed=_changed(run),
    )


def last_figures(newest: Iterable[Mapping[str, Any]]) -> StepFigures:
    """The figures of the last step that has some of completions, out of lines with the newest first."""
    found = (read_logs(line) for line in newest if line.get("kind") == "train" and "reward" in line)
    return next(found, StepFigures())


def show_size(size: int) -> str:
    """Bytes for reading: `512 B`, `1.5 MB`."""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 999.95:
            return f"{amount:.1f} {unit}"
    return f"{amount / 1000:.1f} TB"


def _section(spec: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = spec.get(name)
    return section if isinstance(section, Mapping) else {}


def _changed(run: Run) -> float | None:
    for path in (run.metrics_path, run.spec_path, run.path):
        try:
            return path.stat().st_mtime
        except OSError:
            continue
    return None


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if is_run(folder):
        yield folder
        return
    if depth == 0:
        return
    try:
        with os.scandir(folder) as entries:
            inside = [Path(entry.path) for entry in entries if entry.is_dir()]
    except OSError:
        return
    for one in inside:
        yield from _below(one, depth - 1)
