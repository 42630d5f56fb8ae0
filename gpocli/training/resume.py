"""A resumed run is the same run: only its length, and what it saves, shows and measures, may change."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpocli.errors import SpecError
from gpocli.runs.directory import RunDirectory
from gpocli.spec import RunSpec
from gpocli.spec.sources import SpecSources, draft_run_spec, load_run_spec

_MAY_CHANGE = (
    "steps",
    "epochs",
    "save_every",
    "keep_checkpoints",
    "eval_every",
    "log_every",
    "records",
    "record_every",
    "max_minutes",
    "requeue",
    "trackers",
    "telemetry",
    "dir",
)
_OF_SERVER = ("url", "start", "folder", "wait", "reconnect", "concurrency")
"""Where a vLLM server is, and how it is waited for: a job that runs again may find it on another host."""


def stored_spec(sources: SpecSources) -> Path:
    """The spec file of the run directory to resume."""
    path = next((flag.value for flag in sources.flags if flag.path == "run.dir"), None)
    if path is None:
        raise SpecError("--resume needs the run directory to go on with; write --out runs/<name> as well")
    return RunDirectory.find(path).spec_path


def on_top_of(stored: Path, sources: SpecSources) -> SpecSources:
    """The stored spec, and on it what is said anew. Raises `SpecError` for another algorithm, whose settings differ."""
    chosen = next((flag.value for flag in sources.flags if flag.path == "algorithm.type"), None)
    before = draft_run_spec(SpecSources([stored])).spec
    if before is not None and chosen not in (None, before.algorithm.type):
        raise SpecError(
            f"{stored.parent} was started with {before.algorithm.type}, so it cannot go on with {chosen}; write gpo "
            f"train {before.algorithm.type} --resume --out {stored.parent}"
        )
    return replace(sources, files=[stored, *sources.files])


def refuse_changes(stored: Path, spec: RunSpec) -> None:
    """A resumed run is the same run: only its length and what it saves, shows and measures may change."""
    before = load_run_spec(SpecSources([stored])).spec.model_dump()
    after = spec.model_dump()
    changed = list(_differences(before, after, ""))
    if changed:
        raise SpecError(
            f"{stored.parent} was started with another spec, so it cannot go on with this one: {'; '.join(changed)}; "
            "leave these as they were, or start anew with another --out"
        )


def _differences(before: Any, after: Any, path: str) -> Sequence[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        found: list[str] = []
        for key in sorted({*before, *after}):
            inner = f"{path}.{key}" if path else str(key)
            if key in {"": ("guards",), "run": _MAY_CHANGE, "sampling.vllm": _OF_SERVER}.get(path, ()):
                continue
            found += _differences(before.get(key), after.get(key), inner)
        return found
    return [] if before == after else [f"{path} was {before!r}, is {after!r}"]
