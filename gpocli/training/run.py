"""One run from its spec to the final model: the only place where spec, plugins and trainers meet."""

import logging
import os
import shlex
import signal
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from gpocli.checks.overview import what_runs
from gpocli.checks.preflight import Preflight, check_run
from gpocli.display.progress import open_progress
from gpocli.embedded import EMBEDDED
from gpocli.errors import Interrupted, SpecError
from gpocli.runs.directory import RunDirectory, run_stem, step_of
from gpocli.runs.summary import RunSummary, summarize
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec
from gpocli.spec.sources import SpecSources, draft_run_spec, load_run_spec
from gpocli.training.loading_signals import interruptible


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a finished run left."""

    path: Path
    summary: RunSummary


def train(sources: SpecSources, *, resume: bool, console: Console) -> RunOutcome | None:
    """Check, train and save; None in the processes of a run that are not the main one.

    Raises `GpoError`; `Interrupted`, with a text in the main process only, when a signal stopped the run.
    """
    rank, processes = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    stored = _stored_spec(sources) if resume else None
    draft = draft_run_spec(sources if stored is None else _on_top_of(stored, sources))
    if stored is not None:
        _refuse_changes(stored, draft.loaded().spec)
    quiet_libraries(telemetry=draft.spec is not None and draft.spec.run.telemetry)
    ready = check_run(draft, processes)
    directory = _claim_directory(ready, resume=resume, rank=rank, processes=processes)
    try:
        if rank == 0:
            directory.write_spec(dump_spec(_with_directory(ready.spec, directory)))
        outcome = _train_in(directory, ready, resume=resume, console=console, is_main=rank == 0)
    finally:
        directory.close()
    if processes > 1:
        _leave_the_others()
    return outcome


def _leave_the_others() -> None:
    """End the process group in order: a process that just exits may abort the ones that still talk to it."""
    import torch.distributed

    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def _train_in(
    directory: RunDirectory, ready: Preflight, *, resume: bool, console: Console, is_main: bool
) -> RunOutcome | None:
    spec = ready.spec
    with open_progress(console, main_process=is_main) as progress:
        for note in ready.notes:
            progress.note(note)
        progress.note(f"{what_runs(spec)}: loading, into {directory.path}")
        if spec.data.source != EMBEDDED:
            progress.note(_data_line(ready))
        with interruptible():
            # torch, transformers and trl load here, after everything that can be checked without them
            from gpocli.runs.records import CandidateWriter
            from gpocli.training.assemble import assemble
            from gpocli.training.callback import ProgressLink, take_over_display
            from gpocli.training.stop_signals import StopSignals

            quiet_transformers()
            trainer = assemble(ready, directory.checkpoints_path, note=progress.note)
        trainer.on_candidates = CandidateWriter(directory.candidates_path)
        take_over_display(trainer, ProgressLink(progress, what_runs(spec), directory.append_metrics))
        signals = StopSignals(progress.note)
        trainer.add_callback(signals)
        checkpoint = directory.latest_checkpoint() if resume else None
        if checkpoint is not None and is_main:
            directory.rewind(step_of(checkpoint))
        try:
            with signals.caught():
                _take_steps(trainer, checkpoint)
                if trainer.state.global_step < trainer.state.max_steps and signals.received is not None:
                    raise _Stopped(signals.received)
                trainer.save_model(str(directory.model_path))
        except (KeyboardInterrupt, _Stopped) as stop:
            progress.interrupted()
            number = stop.number if isinstance(stop, _Stopped) else signal.SIGINT
            raise Interrupted(_where_it_stopped(directory, spec) if is_main else "", number) from None
        if not is_main:
            return None
        summary = summarize(directory.read_metrics())
        progress.finish(summary)
    return RunOutcome(directory.path, summary)


class _Stopped(Exception):
    """A signal ended the training between two steps."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number


def _take_steps(trainer: Any, checkpoint: Path | None) -> None:
    """Train to the end of the run, from `checkpoint` if there is one.

    transformers would take one step more from a checkpoint of the last step, which is there when a run was stopped
    before its final model was saved: the checkpoint is then only loaded.
    """
    last_step = trainer.args.max_steps
    if checkpoint is not None and 0 < last_step <= step_of(checkpoint):
        trainer._load_from_checkpoint(str(checkpoint))
    else:
        trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))


def quiet_libraries(*, telemetry: bool) -> None:
    """Switch off the bars, log noise and, unless asked for, the usage ping of the libraries below.

    To be called before any of them is imported, since they read these variables then.
    """
    if not telemetry:
        os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["TORCH_CPP_LOG_LEVEL"] = "ERROR"
    logging.getLogger().setLevel(logging.ERROR)
    warnings.simplefilter("ignore")


def quiet_transformers() -> None:
    """Switch off what transformers shows even so."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()


def _data_line(ready: Preflight) -> str:
    """Which rows a run trains on, so that a log tells whether another run had the same."""
    rows, data = ready.rows, ready.spec.data
    if data.streaming:
        return f"data: {data.source}, read while training"
    text = f"data: {data.source}, {len(rows)} prompts"
    if rows.digest is not None:
        text += f", sha256 {rows.digest[:12]}"
    return text


def _where_it_stopped(directory: RunDirectory, spec: RunSpec) -> str:
    checkpoint = directory.latest_checkpoint()
    if checkpoint is None:
        return f"stopped before the first checkpoint; '{directory.path}' holds what was recorded, start anew elsewhere"
    again = f"gpo train {spec.algorithm.type} --resume --out {shlex.quote(str(directory.path))}"
    return f"stopped at {checkpoint.name}; go on with: {again}"


# The run directory


def _claim_directory(ready: Preflight, *, resume: bool, rank: int, processes: int) -> RunDirectory:
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
    filters = [one.name for one in ready.filters]
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
