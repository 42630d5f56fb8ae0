"""The directory of a run, and the checkpoint to go on from: made or opened by the main process, known to all."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpocli.checks.preflight import Preflight
from gpocli.errors import SpecError, everywhere
from gpocli.runs.checkpoints import layout_change, read_manifest, step_of
from gpocli.runs.directory import RunDirectory, run_stem
from gpocli.spec import RunSpec
from gpocli.training.company import Company


@dataclass(frozen=True, slots=True)
class Claim:
    """A run directory, the checkpoint in it to go on from, and what to tell of those that are damaged."""

    directory: RunDirectory
    checkpoint: Path | None = None
    remarks: Sequence[str] = ()


def claim_directory(ready: Preflight, *, resume: bool, company: Company) -> Claim:
    """The run directory, claimed by the main process; all processes raise `SpecError` when it cannot be had."""
    claim: Claim | None = None
    told: list[str | None] = ["", None, ""]
    if company.is_main:
        try:
            claim = _open_directory(ready, company.count) if resume else Claim(_make_directory(ready))
            told = [str(claim.directory.path), None if claim.checkpoint is None else str(claim.checkpoint), ""]
        except SpecError as error:
            told = ["", None, str(error)]
    path, checkpoint, fault = json.loads(company.of_main("claim", json.dumps(told)))
    if fault:
        raise everywhere(SpecError(fault), is_main=company.is_main)
    return claim or Claim(RunDirectory(path), checkpoint and Path(checkpoint))


def _make_directory(ready: Preflight) -> RunDirectory:
    run = ready.spec.run
    if run.dir is not None:
        return RunDirectory.create(run.dir)
    if run.name is not None:
        return RunDirectory.create(Path("runs") / run.name)
    filters = [one.name for one in (ready.group_filter.filters if ready.group_filter else ())]
    return RunDirectory.create_named("runs", run_stem(ready.spec.algorithm.type, *filters))


def _open_directory(ready: Preflight, processes: int) -> Claim:
    """The run directory to resume, with its last whole checkpoint; none where the run was stopped before its first."""
    assert ready.spec.run.dir is not None
    directory = RunDirectory.open_for_resume(ready.spec.run.dir)
    try:
        if directory.may_begin_again(ready.spec.run.save_every):
            was = "no checkpoint was there yet" if directory.has_steps() else "nothing was done yet"
            directory.rewind(-1)
            return Claim(directory, None, [f"{was}: beginning with the first step"])
        checkpoint, remarks = directory.checkpoint_to_resume()
        if fault := _why_not(directory, checkpoint, ready, processes):
            raise SpecError(fault)
    except SpecError:
        directory.close()
        raise
    hole = directory.hole_up_to(checkpoint)
    return Claim(directory, checkpoint, remarks if hole is None else [*remarks, hole])


def _why_not(directory: RunDirectory, checkpoint: Path, ready: Preflight, processes: int) -> str | None:
    """Why this run cannot go on from a checkpoint."""
    done, steps = step_of(checkpoint), ready.spec.run.steps
    if steps is not None and done >= steps and directory.has_model_of(checkpoint):
        return f"'{directory.path}' has done {done} steps, and {steps} are asked for; write --steps {2 * done} to go on"
    before = read_manifest(checkpoint)["sources"]
    changed = [name for name, digest in ready.sources.items() if before.get(name) != digest]
    if changed:
        return (
            f"{directory.path} was started with other files, so it cannot go on with these: {', '.join(changed)}; put "
            "back what was there, or start anew with another --out"
        )
    return layout_change(checkpoint, {"processes": processes})


def with_directory(spec: RunSpec, directory: RunDirectory) -> RunSpec:
    return spec.model_copy(update={"run": spec.run.model_copy(update={"dir": str(directory.path)})})
