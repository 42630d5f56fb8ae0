"""The directory of a run, and the checkpoint to go on from: made or opened by the main process, known to all."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.checks.preflight import Preflight
from gpocli.errors import SpecError
from gpocli.runs.checkpoints import layout_change, read_manifest, step_of
from gpocli.runs.directory import RunDirectory, run_stem
from gpocli.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Claim:
    """A run directory, the checkpoint in it to go on from, and what to tell of those that are damaged."""

    directory: RunDirectory
    checkpoint: Path | None = None
    remarks: Sequence[str] = ()


def claim_directory(ready: Preflight, *, resume: bool, rank: int, processes: int) -> Claim:
    """The run directory, claimed by the main process; all processes raise `SpecError` when it cannot be had.

    Its text is the main one's to say.
    """
    claim, fault = None, None
    if rank == 0:
        try:
            claim = _open_directory(ready, processes) if resume else Claim(_make_directory(ready))
        except SpecError as error:
            if processes == 1:
                raise
            fault = str(error)
    if processes > 1:
        places = None if claim is None else (str(claim.directory.path), claim.checkpoint)
        places, fault = _from_main_process((places, fault))
        if fault is not None:
            raise SpecError(fault if rank == 0 else "")
        claim = claim or Claim(RunDirectory(places[0]), places[1])
    assert claim is not None
    return claim


def _make_directory(ready: Preflight) -> RunDirectory:
    run = ready.spec.run
    if run.dir is not None:
        return RunDirectory.create(run.dir)
    if run.name is not None:
        return RunDirectory.create(Path("runs") / run.name)
    filters = [one.name for one in (ready.group_filter.filters if ready.group_filter else ())]
    return RunDirectory.create_named("runs", run_stem(ready.spec.algorithm.type, *filters))


def _open_directory(ready: Preflight, processes: int) -> Claim:
    """The run directory to resume, with its last whole checkpoint."""
    assert ready.spec.run.dir is not None
    directory = RunDirectory.open_for_resume(ready.spec.run.dir)
    try:
        checkpoint, remarks = directory.checkpoint_to_resume()
        if fault := _why_not(directory, checkpoint, ready, processes):
            raise SpecError(fault)
    except SpecError:
        directory.close()
        raise
    return Claim(directory, checkpoint, remarks)


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


def _from_main_process(message: Any) -> Any:
    """What the main process says, told to all processes."""
    import torch
    from accelerate import PartialState
    from accelerate.utils import broadcast_object_list

    PartialState(cpu=not torch.cuda.is_available())  # joins the other processes, on a CPU only when told
    return broadcast_object_list([message])[0]


def with_directory(spec: RunSpec, directory: RunDirectory) -> RunSpec:
    return spec.model_copy(update={"run": spec.run.model_copy(update={"dir": str(directory.path)})})
