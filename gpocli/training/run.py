"""One run from its spec to the final model."""

import os
import shlex
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from gpocli.checks.overview import what_runs
from gpocli.checks.preflight import Preflight, check_run
from gpocli.display.choice import open_progress
from gpocli.embedded import EMBEDDED
from gpocli.errors import Interrupted
from gpocli.runs.checkpoints import step_of
from gpocli.runs.directory import RunDirectory
from gpocli.runs.summary import RunSummary, summarize
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec
from gpocli.spec.sources import SpecSources, draft_run_spec
from gpocli.training.claim import Claim, claim_directory, with_directory
from gpocli.training.loading_signals import interruptible
from gpocli.training.quiet import quiet_libraries, quiet_transformers
from gpocli.training.resume import on_top_of, refuse_changes, stored_spec


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
    stored = stored_spec(sources) if resume else None
    draft = draft_run_spec(sources if stored is None else on_top_of(stored, sources))
    if stored is not None:
        refuse_changes(stored, draft.loaded().spec)
    quiet_libraries(telemetry=draft.spec is not None and draft.spec.run.telemetry)
    ready = check_run(draft, processes)
    claim = claim_directory(ready, resume=resume, rank=rank, processes=processes)
    try:
        if rank == 0:
            claim.directory.write_spec(dump_spec(with_directory(ready.spec, claim.directory)))
        outcome = _train_in(claim, ready, console=console, is_main=rank == 0)
    finally:
        claim.directory.close()
    if processes > 1:
        _leave_the_others()
    return outcome


def _leave_the_others() -> None:
    """End the process group in order: a process that just exits may abort the ones that still talk to it."""
    import torch.distributed

    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def _train_in(claim: Claim, ready: Preflight, *, console: Console, is_main: bool) -> RunOutcome | None:
    spec, directory, checkpoint = ready.spec, claim.directory, claim.checkpoint
    with open_progress(console, main_process=is_main) as progress:
        for note in (*ready.notes, *claim.remarks):
            progress.note(note)
        progress.note(f"{what_runs(spec)}: loading, into {directory.path}")
        if spec.data.source != EMBEDDED:
            progress.note(_data_line(ready))
        with interruptible():
            # torch, transformers and trl load here, after everything that can be checked without them
            from gpocli.trainers.checkpoints import written
            from gpocli.training.assemble import assemble
            from gpocli.training.callback import ProgressLink, take_over_display
            from gpocli.training.stop_signals import StopSignals

            quiet_transformers()
            trainer = assemble(ready, directory.checkpoints_path, note=progress.note)
        trainer.sources = ready.sources
        trainer.on_candidates = directory.append_candidates
        trainer.on_note = progress.note
        take_over_display(trainer, ProgressLink(progress, what_runs(spec), directory.append_metrics))
        signals = StopSignals(progress.note)
        trainer.add_callback(signals)
        if checkpoint is not None and is_main:
            directory.rewind(step_of(checkpoint))
        try:
            with signals.caught():
                _take_steps(trainer, checkpoint)
                if trainer.state.global_step < trainer.state.max_steps and signals.received is not None:
                    raise _Stopped(signals.received)
                directory.check_that_it_stands()
                written(trainer, directory.model_path, partial(trainer.save_model, str(directory.model_path)))
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
