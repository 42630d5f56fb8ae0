"""A run made tiny, so that all of it is tried in two steps: what a smoke run has on top of the spec of the real one."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpocli.checks.preflight import check_run, examine
from gpocli.spec import RunSpec
from gpocli.spec.layer import Assignment, Place
from gpocli.spec.sources import SpecSources, draft_run_spec

STEPS = 2
_TOKENS = 16
_ROWS = 64
_EVAL_ROWS = 4
_PLACE = Place("--smoke")


def smoke_sources(sources: SpecSources, processes: int) -> SpecSources:
    """The sources of a smoke run: two steps of few prompts and short completions, a checkpoint and an evaluation after
    each (if the run has any), no tracker, and a directory for temporary files.

    The run itself is checked whole before. Raises its error, as `check_run` does.
    """
    ready = check_run(draft_run_spec(sources), processes)
    spec = ready.spec
    small = _with(sources, _changes(spec, processes, min(2, ready.plan.updates_per_generation)))
    short = _with(small, {"sampling.max_tokens": min(_TOKENS, spec.sampling.max_tokens)})
    # a reward may have options that need the room of the real run
    return short if examine(draft_run_spec(short), processes).ready is not None else small


def _changes(spec: RunSpec, processes: int, updates: int) -> dict[str, Any]:
    rows = max(_ROWS, 2 * processes * updates)
    changes: dict[str, Any] = {
        "batch.prompts_per_step": processes,
        "batch.micro_batch": None,
        "batch.updates_per_generation": updates,
        "data.limit": min(rows, spec.data.limit or rows),
        "run.steps": STEPS,
        "run.save_every": 1,
        "run.dir": str(smoke_directory()),
        "run.trackers": [],
        "run.requeue": False,
    }
    if spec.run.eval_every is not None:
        changes |= {"run.eval_every": 1, "data.eval_limit": min(_EVAL_ROWS, spec.data.eval_limit or _EVAL_ROWS)}
    if spec.trl.get("push_to_hub"):
        changes["trl.push_to_hub"] = False
    return changes


def smoke_directory() -> Path:
    """Where a smoke run writes; the same in all processes that one launcher has started."""
    launched = os.environ.get("TORCHELASTIC_RUN_ID")
    return Path(tempfile.gettempdir()) / f"gpo-smoke-{launched or os.getpid()}-{os.getppid()}"


def _with(sources: SpecSources, changes: dict[str, Any]) -> SpecSources:
    flags = [Assignment(path, value, _PLACE) for path, value in changes.items()]
    return replace(sources, flags=[*sources.flags, *flags])
