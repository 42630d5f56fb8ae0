"""Everything about a run that can be known before torch is imported: spec, plugins, sums, rows, model files."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.contracts.filter import NamedFilter
from gpocli.data import Rows
from gpocli.embedded import DEFAULTS_PATH
from gpocli.errors import SpecError
from gpocli.plugin_manager import NamedReward
from gpocli.presets import preset_path
from gpocli.spec import RunSpec
from gpocli.spec.batch import BatchPlan, notices
from gpocli.spec.fault import Fault, as_error
from gpocli.spec.layer import Layer, Place
from gpocli.spec.load import Draft, LoadedSpec, draft_spec
from gpocli.spec.read_file import read_layer
from gpocli.training.checks.batch import check_batch
from gpocli.training.checks.data import check_columns, check_eval_rows, check_rows
from gpocli.training.checks.extensions import check_filters, check_rewards, find_plugins
from gpocli.training.checks.findings import Findings
from gpocli.training.checks.model import EMBEDDED, check_model, check_packages
from gpocli.training.checks.run_directory import check_run_directory
from gpocli.training.checks.trackers import check_trackers
from gpocli.training.checks.trl import check_trl

__all__ = [
    "EMBEDDED",
    "Preflight",
    "SpecSources",
    "check_run",
    "draft_run_spec",
    "examine",
    "load_run_spec",
    "processes_of_this_run",
]

_UNLESS_SAID = Layer("default", {"algorithm": {"type": "gfpo"}})


@dataclass(frozen=True, slots=True)
class SpecSources:
    """What a run spec is made of, from the lowest layer to the highest: the name of a preset, spec files, variables
    (`os.environ` on the command line), `--set` texts, and flags by dotted path."""

    files: Sequence[Path] = ()
    overrides: Sequence[str] = ()
    flags: Mapping[str, Any] | None = None
    preset: str | None = None
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Preflight:
    """A run that is sound as far as can be told without its model. `notes` are worth a line each to the user."""

    spec: RunSpec
    plan: BatchPlan
    filters: list[NamedFilter]
    rewards: list[NamedReward]
    rows: Rows
    eval_rows: Rows | None
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Examination:
    """What came of looking at a run: the preflight, or all that is wrong in the order of places."""

    ready: Preflight | None
    faults: list[Fault]


def load_run_spec(sources: SpecSources) -> LoadedSpec:
    """The spec with the defaults of the embedded model below it, if the run uses that model.

    Raises `SpecError` with all faults.
    """
    return draft_run_spec(sources).loaded()


def draft_run_spec(sources: SpecSources) -> Draft:
    """As `load_run_spec`, faults and all."""
    preset = None
    if sources.preset is not None:
        try:
            preset = _base_layer(preset_path(sources.preset), f"preset {sources.preset}")
        except SpecError as error:
            return Draft(None, {}, (Fault(Place("--preset"), "", str(error)),))
    embedded = _base_layer(DEFAULTS_PATH, "embedded default")
    draft = _draft(sources, [_UNLESS_SAID, embedded, *([preset] if preset else [])])
    if draft.spec is not None and draft.spec.model.name != EMBEDDED:
        draft = _draft(sources, [_UNLESS_SAID, *([preset] if preset else [])])
    if preset is None or draft.spec is None or not draft.is_sound("algorithm.type"):
        return draft
    return _with_fault_of_preset(draft, sources.preset or "", preset.data["algorithm"]["type"])


def check_run(loaded: Draft, processes: int = 1) -> Preflight:
    """The filters and rewards, batch sums and rows of a spec.

    Raises `SpecError` with everything that is wrong, a line each; `PluginError` or `EnvironmentFault` where it is
    a filter or reward alone that cannot be had, or a package.
    """
    examination = examine(loaded, processes)
    if examination.ready is None:
        raise as_error(examination.faults)
    return examination.ready


def examine(draft: Draft, processes: int = 1) -> Examination:
    """Look at everything that a spec names; a check that needs what is faulty already is left out."""
    if draft.spec is None:
        return Examination(None, list(draft.faults))
    findings = Findings(draft)
    host = find_plugins(findings)
    filters = [] if host is None else check_filters(findings, host)
    rewards = [] if host is None else check_rewards(findings, host)
    check_model(findings)
    check_packages(findings)
    check_trackers(findings)
    check_trl(findings, processes)
    check_run_directory(findings)
    plan = check_batch(findings, processes)
    rows = check_rows(findings, plan)
    eval_rows = check_eval_rows(findings)
    check_columns(findings, rewards, rows, eval_rows)
    faults = findings.faults
    if faults or plan is None or rows is None:
        return Examination(None, faults)
    broken = [] if host is None else [str(plugin) for plugin in host.broken]
    notes = broken + notices(findings.spec) + findings.notes
    return Examination(Preflight(findings.spec, plan, filters, rewards, rows, eval_rows, notes), [])


def processes_of_this_run() -> int:
    """Processes that the launcher has started, from its `WORLD_SIZE`."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def _draft(sources: SpecSources, base: Sequence[Layer]) -> Draft:
    return draft_spec(sources.files, sources.overrides, sources.flags, base, sources.environment)


def _base_layer(path: Path, name: str) -> Layer:
    faults: list[Fault] = []
    layer = read_layer(path, faults, name=name)
    assert layer is not None
    assert not faults
    return layer


def _with_fault_of_preset(draft: Draft, name: str, algorithm: str) -> Draft:
    """A preset is for one algorithm; what it says about another would be left out without a word."""
    assert draft.spec is not None
    chosen = draft.spec.algorithm.type
    if chosen == algorithm:
        return draft
    fault = Fault(Place(f"--preset {name}"), "", f"sets up {algorithm}, but {chosen} is to train; see gpo presets list")
    return Draft(draft.spec, draft.places, (*draft.faults, fault), draft.doubtful, draft.sources)
