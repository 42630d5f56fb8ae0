"""The directory of a run: made or opened by the main process, known to all."""

from pathlib import Path
from typing import Any

from gpocli.checks.preflight import Preflight
from gpocli.errors import SpecError
from gpocli.runs.checkpoints import step_of
from gpocli.runs.directory import RunDirectory, run_stem
from gpocli.spec import RunSpec


def claim_directory(ready: Preflight, *, resume: bool, rank: int, processes: int) -> RunDirectory:
    """The run directory, claimed by the main process; all processes raise `SpecError` when it cannot be had.

    Its text is the main one's to say.
    """
    directory, fault = None, None
    if rank == 0:
        try:
            directory = _open_directory(ready.spec) if resume else _make_directory(ready)
        except SpecError as error:
            if processes == 1:
                raise
            fault = str(error)
    if processes > 1:
        path, fault = _from_main_process((None if directory is None else str(directory.path), fault))
        if fault is not None:
            raise SpecError(fault if rank == 0 else "")
        directory = directory or RunDirectory(path)
    assert directory is not None
    return directory


def _make_directory(ready: Preflight) -> RunDirectory:
    run = ready.spec.run
    if run.dir is not None:
        return RunDirectory.create(run.dir)
    if run.name is not None:
        return RunDirectory.create(Path("runs") / run.name)
    filters = [one.name for one in (ready.group_filter.filters if ready.group_filter else ())]
    return RunDirectory.create_named("runs", run_stem(ready.spec.algorithm.type, *filters))


def _open_directory(spec: RunSpec) -> RunDirectory:
    """The run directory to resume, unless there is nothing left to do in it."""
    assert spec.run.dir is not None
    directory = RunDirectory.open_for_resume(spec.run.dir)
    checkpoint = directory.latest_checkpoint()
    assert checkpoint is not None
    done, steps = step_of(checkpoint), spec.run.steps
    if steps is not None and done >= steps and directory.has_model_of(checkpoint):
        directory.close()
        raise SpecError(
            f"'{directory.path}' has done {done} steps, and {steps} are asked for; write --steps {2 * done} to go on"
        )
    return directory


def _from_main_process(message: Any) -> Any:
    """What the main process says, told to all processes."""
    import torch
    from accelerate import PartialState
    from accelerate.utils import broadcast_object_list

    PartialState(cpu=not torch.cuda.is_available())  # joins the other processes, on a CPU only when told
    return broadcast_object_list([message])[0]


def with_directory(spec: RunSpec, directory: RunDirectory) -> RunSpec:
    return spec.model_copy(update={"run": spec.run.model_copy(update={"dir": str(directory.path)})})
