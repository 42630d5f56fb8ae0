"""The trainer of a run: how it is loaded, and what it is connected with."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from gpocli.checks.overview import what_runs
from gpocli.checks.preflight import Preflight
from gpocli.contracts.guards import Guards
from gpocli.display.progress import Progress
from gpocli.runs.activity import Activity
from gpocli.runs.directory import RunDirectory
from gpocli.runs.recording import Recording
from gpocli.runs.records import CandidateRecord
from gpocli.sharing.card import CardFacts
from gpocli.sharing.facts import facts_of_run, versions_here
from gpocli.spec import RunSpec
from gpocli.training.loading_signals import interruptible
from gpocli.training.quiet import quiet_transformers
from gpocli.training.time_limit import TimeLimit

if TYPE_CHECKING:
    from gpocli.trainers.trainer import GroupTrainer
    from gpocli.training.guards import Watched
    from gpocli.training.stop_signals import StopSignals


def loaded(ready: Preflight, directory: RunDirectory, progress: Progress) -> "GroupTrainer":
    """The trainer. What is heavy loads here, after everything that can be checked without it."""
    loading = Activity()
    with interruptible(), loading.doing("loading torch, transformers and TRL"):
        progress.watch(loading, what_runs(ready.spec))
        from gpocli.training.assemble import assemble

        quiet_transformers()
        with loading.doing("loading the model"):
            return assemble(ready, directory.checkpoints_path, note=progress.note)


def connected(
    trainer: "GroupTrainer", ready: Preflight, directory: RunDirectory, progress: Progress, limit: TimeLimit
) -> "tuple[StopSignals, Watched]":
    """Lead what the trainer tells into the run directory and to the display, and let signals and guards stop it."""
    from gpocli.training.callback import ProgressLink, take_over_display
    from gpocli.training.guards import Watched
    from gpocli.training.stop_signals import StopSignals

    spec = ready.spec
    recording = Recording(directory, spec.run.records, spec.run.record_every)
    progress.watch(trainer.activity)
    trainer.sources = ready.sources
    trainer.card = partial(_card, directory, spec, ready.sources, versions_here())
    trainer.on_candidates = partial(_take_candidates, recording, progress)
    trainer.on_note = progress.note
    take_over_display(trainer, ProgressLink(progress, what_runs(spec), directory.append_metrics))
    signals = StopSignals(trainer.stop, progress.note, limit)
    watched = Watched(trainer, Guards(ready.guards), directory, spec.algorithm.type)
    trainer.add_callback(signals)
    trainer.add_callback(watched)
    return signals, watched


def _take_candidates(recording: Recording, progress: Progress, records: list[CandidateRecord]) -> None:
    recording(records)
    progress.candidates(records)


def _card(directory: RunDirectory, spec: RunSpec, sources: Mapping[str, str], versions: Mapping[str, str]) -> CardFacts:
    """What the run tells of the model so far."""
    name, metrics = directory.path.resolve().name, directory.read_metrics()
    return facts_of_run(name, spec, metrics, sources=sources, versions=versions)
