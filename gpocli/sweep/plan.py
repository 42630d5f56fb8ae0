"""What a sweep will run: the spec of each point, checked, and where each stands in its folder.

<folder>/
    specs/<point>.yaml    the resolved spec of each run, fixed when the sweep began
    <point>/              its run directory
    logs/<point>.log      what `gpo train` printed, each attempt after the one before
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpocli.checks.preflight import examine
from gpocli.errors import GpoError, SpecError
from gpocli.runs.run import Run
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec
from gpocli.spec.fault import as_error
from gpocli.spec.layer import Assignment, Place
from gpocli.spec.load import Draft, LoadedSpec
from gpocli.spec.new_file import write_new
from gpocli.spec.sources import SpecSources, draft_run_spec, load_run_spec
from gpocli.spec.yaml_text import TextError, read_yaml
from gpocli.sweep.grid import Point, points


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A point of a sweep with its spec, which is sound, and its places on disk."""

    point: Point
    spec: RunSpec
    folder: Path
    """The folder of the sweep."""

    @property
    def run(self) -> Run:
        """Its run directory, be it there or not."""
        return Run(self.folder / self.point.name)

    @property
    def spec_file(self) -> Path:
        """The spec that it is started with."""
        return self.folder / "specs" / f"{self.point.name}.yaml"

    @property
    def log(self) -> Path:
        """What its process prints."""
        return self.folder / "logs" / f"{self.point.name}.log"


def plan_sweep(sources: SpecSources, grid: Sequence[str], seeds: int | None) -> list[PlannedRun]:
    """The runs of a sweep, all checked. Nothing is written.

    Raises `GpoError` with the faults of every point, and `SpecError` for a folder that holds another sweep.
    """
    base = draft_run_spec(sources)
    if base.spec is None:
        raise as_error(base.faults)
    folder = _folder(sources, base.spec)
    drafts = [(point, _draft(sources, point, folder)) for point in points(grid, seeds, base.spec.run.seed)]
    faults: dict[str, list[str]] = {}
    worst: GpoError | None = None
    for point, draft in drafts:
        found = list(draft.faults) if draft.spec is None else examine(draft).faults
        for fault in found:
            faults.setdefault(str(fault), []).append(point.name)
        worst = worst or (as_error(found) if found else None)
    if worst is not None:
        raise type(worst)("\n".join(_line(text, names, len(drafts)) for text, names in faults.items()))
    planned = [PlannedRun(point, draft.loaded().spec, folder) for point, draft in drafts]
    for one in planned:
        _refuse_another(one)
    return planned


def write_specs(planned: Sequence[PlannedRun]) -> None:
    """Fix the specs of the runs that have none yet. Raises `GpoError`."""
    for one in planned:
        if not one.spec_file.exists():
            one.spec_file.parent.mkdir(parents=True, exist_ok=True)
            write_new(one.spec_file, dump_spec(one.spec))


def _folder(sources: SpecSources, spec: RunSpec) -> Path:
    """Where --out says, else a folder named after the last spec file or the algorithm: it is the same each time."""
    told = next((flag.value for flag in sources.flags if flag.path == "run.dir"), None)
    name = Path(sources.files[-1]).stem if sources.files else spec.algorithm.type
    return Path("sweeps") / name if told is None else Path(told).expanduser()


def _draft(sources: SpecSources, point: Point, folder: Path) -> Draft:
    values = [Assignment(key, _read(key, text), Place(f"--grid {key}={text}")) for key, text in point.values.items()]
    place = Assignment("run.dir", str(folder / point.name), Place("--out"))
    flags = [flag for flag in sources.flags if flag.path != "run.dir"]
    return draft_run_spec(replace(sources, flags=[*flags, *values, place]))


def _read(key: str, text: str) -> object:
    try:
        read = read_yaml(text, f"--grid {key}")
    except TextError as error:
        raise SpecError(f"--grid {key}: {error}") from error
    if read.faults:
        raise SpecError(f"--grid {key}: {read.faults[0].text}")
    return read.value


def _line(text: str, names: Sequence[str], count: int) -> str:
    """A fault, with the points that have it where not all do."""
    if len(names) == count or text.startswith("--grid"):
        return text
    return f"{text} (in {names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''})"


def _refuse_another(one: PlannedRun) -> None:
    """A sweep goes on with the specs that it began with."""
    if not one.spec_file.is_file():
        return
    before, now = (_values(spec) for spec in (load_run_spec(SpecSources([one.spec_file])).spec, one.spec))
    changed = [path for path in {**before, **now} if path != "run.dir" and before.get(path) != now.get(path)]
    if changed:
        words = [f"{path} was {before.get(path)!r}, is {now.get(path)!r}" for path in changed[:3]]
        raise SpecError(
            f"the sweep in '{one.folder}' began with another spec: {'; '.join(words)}; write it as it was, or name "
            "another folder with --out"
        )


def _values(spec: RunSpec) -> dict[str, Any]:
    return {path: value for path, value, _ in LoadedSpec(spec, {}).entries()}
