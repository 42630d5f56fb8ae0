"""Where a run stopped, and what the user writes for it to go on."""

import shlex

from gpocli.runs.directory import RunDirectory
from gpocli.spec import RunSpec


def way_on(directory: RunDirectory, spec: RunSpec) -> str:
    """Where a run stopped and how it goes on; empty where it took no step."""
    return where_it_stopped(directory, spec) if directory.has_steps() else ""


def where_it_stopped(directory: RunDirectory, spec: RunSpec) -> str:
    """The last whole checkpoint of a run, and the command that goes on from there, or begins again without one."""
    checkpoint = directory.latest_checkpoint()
    again = f"gpo train {spec.algorithm.type} --resume --out {shlex.quote(str(directory.path))}"
    if checkpoint is None:
        what = "checkpoint" if directory.has_steps() else "step"
        return f"stopped before the first {what}; begin again with: {again}"
    return f"stopped at {checkpoint.name}; go on with: {again}"
