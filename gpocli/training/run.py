"""One run from its spec to the final model."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from gpocli.checks.overview import what_runs
from gpocli.checks.preflight import Preflight, check_run
from gpocli.display.choice import LogFormat, open_progress
from gpocli.display.progress import Progress
from gpocli.embedded import EMBEDDED
from gpocli.errors import GpoError, GuardError, Interrupted, ServerFault, everywhere
from gpocli.runs.checkpoints import step_of
from gpocli.runs.directory import RunDirectory
from gpocli.runs.summary import RunSummary, summarize
from gpocli.spec.dump import dump_spec
from gpocli.spec.sources import SpecSources, draft_run_spec
from gpocli.training.agreement import agree
from gpocli.training.attempt import recorded
from gpocli.training.boundary import Course, boundary, log_of
from gpocli.training.claim import Claim, claim_directory, with_directory
from gpocli.training.company import PATIENCE, Company, meet, place_of
from gpocli.training.faults import Watch, is_loss, shared_faults
from gpocli.training.loading import connected, loaded
from gpocli.training.loading_signals import Stopped, interruptible
from gpocli.training.provenance import devices, machine, provenance
from gpocli.training.quiet import quiet_libraries
from gpocli.training.resume import on_top_of, refuse_changes, stored_spec
from gpocli.training.room import require_room
from gpocli.training.server import own_server
from gpocli.training.steps import train_and_save
from gpocli.training.stopped import way_on, where_it_stopped
from gpocli.training.time_limit import TimeLimit

Shown = Callable[..., Progress]
"""`open_progress` for a console, which wants to know whether this is the main process."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a finished run left."""

    path: Path
    summary: RunSummary


def train(
    sources: SpecSources, *, resume: bool, console: Console, log_format: LogFormat | None = None
) -> RunOutcome | None:
    """Check, train and save; None in the processes of a run that are not the main one.

    Raises `GpoError`; `Interrupted` when a signal or the limit of `run.max_minutes` stopped the run.
    """
    began = time.monotonic()
    rank, count = place_of(os.environ)
    try:
        with interruptible():
            checked = _checked(sources, resume, count)
            ready = checked if isinstance(checked, Preflight) else None
            company = meet(rank, count, _patience(ready))
            with shared_faults(company) as watch:
                agree(company, checked, _patience(ready))
                assert ready is not None
                outcome = _claimed(ready, resume, partial(open_progress, console, log_format), company, watch, began)
    except Stopped as stop:
        raise Interrupted("", stop.number) from None
    if count > 1:
        _leave_the_others()
    return outcome


def _claimed(
    ready: Preflight, resume: bool, shown: Shown, company: Company, watch: Watch, began: float
) -> RunOutcome | None:
    run = ready.spec.run
    limit = TimeLimit(None if run.max_minutes is None else began + 60 * run.max_minutes - time.monotonic())
    try:
        with limit.running():
            claim = claim_directory(ready, resume=resume, company=company)
            directory = claim.directory
            try:
                log, passes = partial(_log, directory, company, resume), partial(_is_of_others, company)
                with _recorded(claim, ready, company, watch), boundary(log, passes=passes) as at:
                    return _train_in(claim, ready, shown, company, watch, limit, at)
            except BaseException as error:
                if company.is_main and not resume and not _can_go_on(error):
                    directory.discard()
                raise
            finally:
                directory.close()
    except Stopped as stop:
        if isinstance(stop.__context__, Interrupted):  # one more signal, while the run was leaving
            raise stop.__context__ from None
        raise Interrupted("stopped while loading", stop.number, requeue=run.requeue) from None


def _recorded(claim: Claim, ready: Preflight, company: Company, watch: Watch) -> AbstractContextManager[None]:
    """Keep in the manifest how this attempt is made, and how it ends."""
    if not company.is_main:
        return nullcontext()
    manifest, checkpoint = claim.directory.manifest, claim.checkpoint
    from_step = 0 if checkpoint is None else step_of(checkpoint)
    manifest.begin(provenance(ready, processes=company.count, from_step=from_step))
    return recorded(manifest, lambda: watch.heard)


def _log(directory: RunDirectory, company: Company, resume: bool) -> Path:
    return log_of(directory.path, company.rank, stays=resume or directory.has_steps())


def _is_of_others(company: Company, error: Exception) -> bool:
    """Whether `shared_faults` has its own words for an error."""
    return company.count > 1 and is_loss(error)


def _can_go_on(error: BaseException) -> bool:
    """Whether a run that took no step yet may be resumed after `error`, and the user is told so."""
    return isinstance(error, Interrupted | Stopped | KeyboardInterrupt) or "--resume" in str(error)


def _checked(sources: SpecSources, resume: bool, count: int) -> Preflight | GpoError:
    """What a run is, or, in one of several processes, why it cannot be: the others wait to hear it."""
    try:
        stored = stored_spec(sources) if resume else None
        draft = draft_run_spec(sources if stored is None else on_top_of(stored, sources))
        if stored is not None:
            refuse_changes(stored, draft.loaded().spec)
        quiet_libraries(telemetry=draft.spec is not None and draft.spec.run.telemetry)
        return check_run(draft, count)
    except GpoError as error:
        if count == 1:
            raise
        return error


def _patience(ready: Preflight | None) -> float:
    """Seconds to wait for other processes; not long with a fault, which they might share before they come."""
    if ready is None:
        return 60.0
    return max(PATIENCE, float(ready.spec.trl.get("ddp_timeout") or 0))


def _leave_the_others() -> None:
    """End the process group in order: a process that just exits may abort the ones that still talk to it."""
    import torch.distributed

    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def _train_in(
    claim: Claim, ready: Preflight, shown: Shown, company: Company, watch: Watch, limit: TimeLimit, at: Course
) -> RunOutcome | None:
    spec, directory, is_main = ready.spec, claim.directory, company.is_main
    if is_main:
        directory.write_spec(dump_spec(with_directory(spec, directory)))
    with (
        shown(main_process=is_main) as progress,
        own_server(spec, directory, progress.note, is_main=is_main),
    ):
        watch.on_fault = partial(progress.__exit__, None, None, None)
        for note in _first_words(ready, claim):
            progress.note(note)
        trainer = loaded(ready, directory, progress)
        if is_main:
            require_room(trainer, directory.path, progress.note)
            directory.manifest.note({"machine": machine(devices(trainer.accelerator.device.type))})
        signals, watched = connected(trainer, ready, directory, progress, limit)
        at.doing, at.way_on = "training", partial(way_on, directory, spec)
        try:
            with signals.caught(), watch.handing_on(trainer.stop):
                number = train_and_save(trainer, claim, signals, watched)
        except GuardError:
            progress.interrupted()
            raise
        except ServerFault as fault:
            raise ServerFault(f"{fault}; {where_it_stopped(directory, spec)}") from fault
        except KeyboardInterrupt as error:
            progress.interrupted()
            raise signals.interruption(error, where_it_stopped(directory, spec) if is_main else "") from error
        if number is not None:
            progress.interrupted()
            stop = Interrupted(where_it_stopped(directory, spec), number, requeue=spec.run.requeue)
            raise everywhere(stop, is_main=is_main)
        if not is_main:
            return None
        summary = summarize(directory.read_metrics())
        progress.finish(summary)
    return RunOutcome(directory.path, summary)


def _first_words(ready: Preflight, claim: Claim) -> Iterator[str]:
    """What is told before anything loads."""
    yield from ready.notes
    yield from claim.remarks
    yield f"{what_runs(ready.spec)}: loading, into {claim.directory.path}"
    if ready.spec.data.source != EMBEDDED:
        yield _data_line(ready)


def _data_line(ready: Preflight) -> str:
    """Which rows a run trains on, so that a log tells whether another run had the same."""
    rows, data = ready.rows, ready.spec.data
    if data.streaming:
        return f"data: {data.source}, read while training"
    text = f"data: {data.source}, {len(rows)} prompts"
    if rows.digest is not None:
        text += f", sha256 {rows.digest[:12]}"
    return text
