"""One run from its spec to the final model: the only place where spec, plugins and trainers meet."""

import logging
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from gpocli.errors import Interrupted, SpecError
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec
from gpocli.training.preflight import Preflight, SpecSources, check_run, draft_run_spec, load_run_spec
from gpocli.training.progress import open_progress
from gpocli.training.run_directory import RunDirectory, run_stem
from gpocli.training.summary import RunSummary, summarize


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a finished run left."""

    path: Path
    summary: RunSummary


def train(sources: SpecSources, *, resume: bool, console: Console) -> RunOutcome:
    """Check, train and save. Raises `GpoError`; `Interrupted` when a signal stopped the run."""
    rank, processes = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    stored = _stored_spec(sources) if resume else None
    draft = draft_run_spec(sources if stored is None else _on_top_of(stored, sources))
    if stored is not None:
        _refuse_changes(stored, draft.loaded().spec)
    ready = check_run(draft, processes)
    directory = _claim_directory(ready, resume=resume, rank=rank, processes=processes)
    try:
        if rank == 0:
            directory.write_spec(dump_spec(_with_directory(ready.spec, directory)))
        return _train_in(directory, ready, resume=resume, console=console, is_main=rank == 0)
    finally:
        directory.close()


def _train_in(
    directory: RunDirectory, ready: Preflight, *, resume: bool, console: Console, is_main: bool
) -> RunOutcome:
    spec = ready.spec
    quiet_libraries(telemetry=spec.run.telemetry)
    with open_progress(console, main_process=is_main) as progress:
        for note in ready.notes:
            progress.note(note)
        progress.note(f"{_title(spec)}: loading, into {directory.path}")
        # torch, transformers and trl load here, after everything that can be checked without them
        from gpocli.training.assemble import assemble
        from gpocli.training.callback import ProgressLink, take_over_display
        from gpocli.training.records import CandidateWriter
        from gpocli.training.stop_signals import StopSignals

        trainer = assemble(ready, directory.checkpoints_path, note=progress.note)
        trainer.on_candidates = CandidateWriter(directory.candidates_path)
        take_over_display(trainer, ProgressLink(progress, _title(spec), directory.append_metrics))
        signals = StopSignals(progress.note)
        trainer.add_callback(signals)
        checkpoint = directory.latest_checkpoint() if resume else None
        if checkpoint is not None and is_main:
            directory.rewind(int(checkpoint.name.rsplit("-", 1)[1]))
        try:
            with signals.caught():
                trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
        except KeyboardInterrupt:
            progress.interrupted()
            raise Interrupted(_stopped(directory), signal.SIGINT) from None
        if signals.received is not None:
            progress.interrupted()
            raise Interrupted(_stopped(directory), signals.received)
        trainer.save_model(str(directory.model_path))
        summary = summarize(directory.read_metrics())
        progress.finish(summary)
    return RunOutcome(directory.path, summary)


def quiet_libraries(*, telemetry: bool) -> None:
    """Switch off the bars, log noise and, unless asked for, the usage ping of the libraries below."""
    if not telemetry:
        os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    logging.getLogger().setLevel(logging.ERROR)
    import warnings

    warnings.simplefilter("ignore")
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()


def _title(spec: RunSpec) -> str:
    algorithm = spec.algorithm
    filters = " > ".join(one.name for one in getattr(algorithm, "filters", []))
    keep = getattr(algorithm, "keep", None)
    sizes = f"{keep}/{algorithm.group_size}" if keep is not None else f"{algorithm.group_size}"
    return " ".join(part for part in (algorithm.type, sizes, filters) if part) + f" on {spec.model.name}"


def _stopped(directory: RunDirectory) -> str:
    checkpoint = directory.latest_checkpoint()
    if checkpoint is None:
        return f"stopped before the first checkpoint; {directory.path} holds what was recorded"
    return f"stopped at {checkpoint.name}; go on with --resume --out {directory.path}"


# The run directory


def _claim_directory(ready: Preflight, *, resume: bool, rank: int, processes: int) -> RunDirectory:
    run = ready.spec.run
    if resume:
        assert run.dir is not None
        return RunDirectory.open_for_resume(run.dir) if rank == 0 else RunDirectory(run.dir)
    chosen = run.dir or (None if run.name is None else str(Path("runs") / run.name))
    if rank == 0:
        if chosen is not None:
            directory = RunDirectory.create(chosen)
        else:
            filters = [one.name for one in ready.filters]
            directory = RunDirectory.create_named("runs", run_stem(ready.spec.algorithm.type, *filters))
        chosen = str(directory.path)
    else:
        directory = None
    if processes > 1:
        chosen = _from_main_process(chosen)
    if directory is None:
        assert chosen is not None
        directory = RunDirectory(chosen)
    return directory


def _from_main_process(path: str | None) -> str:
    """The main process's run directory, told to all processes."""
    from accelerate import PartialState
    from accelerate.utils import broadcast_object_list

    PartialState()
    return str(broadcast_object_list([path])[0])


def _with_directory(spec: RunSpec, directory: RunDirectory) -> RunSpec:
    return spec.model_copy(update={"run": spec.run.model_copy(update={"dir": str(directory.path)})})


# Resuming

_MAY_CHANGE = (
    "steps",
    "epochs",
    "save_every",
    "keep_checkpoints",
    "eval_every",
    "log_every",
    "trackers",
    "telemetry",
    "dir",
)


def _stored_spec(sources: SpecSources) -> Path:
    """The spec file of the run directory to resume."""
    flags = sources.flags or {}
    where = flags.get("run.dir")
    path = getattr(where, "value", where)
    if path is None:
        raise SpecError("--resume needs the run directory to go on with; write --out runs/<name> as well")
    if not Path(path).is_dir():
        raise SpecError(f"no run directory '{path}' to resume; check the path")
    spec_file = Path(path) / "spec.yaml"
    if not spec_file.is_file():
        raise SpecError(f"'{path}' is no run directory (it has no spec.yaml); check the path")
    return spec_file


def _on_top_of(stored: Path, sources: SpecSources) -> SpecSources:
    return replace(sources, files=[stored, *sources.files])


def _refuse_changes(stored: Path, spec: RunSpec) -> None:
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
            if path == "run" and key in _MAY_CHANGE:
                continue
            found += _differences(before.get(key), after.get(key), inner)
        return found
    return [] if before == after else [f"{path} was {before!r}, is {after!r}"]
