"""Everything about a run that can be known before torch is imported: spec, plugins, sums, rows, model files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpocli.checks.batch import check_batch
from gpocli.checks.best_model import check_best_model
from gpocli.checks.code_tests import check_code_tests
from gpocli.checks.data import check_columns, check_eval_rows, check_rows
from gpocli.checks.demo import check_demo
from gpocli.checks.extensions import check_filters, check_keywords, check_rewards, find_plugins
from gpocli.checks.findings import Findings
from gpocli.checks.guards import check_guards
from gpocli.checks.model import check_hub_model, check_model, check_packages
from gpocli.checks.reward_models import check_reward_models
from gpocli.checks.run_directory import check_run_directory
from gpocli.checks.server import check_server
from gpocli.checks.sources import plugins_of, sources_of
from gpocli.checks.tokenizer import check_prompts, check_tokenizer
from gpocli.checks.trackers import check_trackers
from gpocli.checks.trl import check_trl
from gpocli.contracts.building import NamedReward
from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.guards import NamedGuard
from gpocli.data import Rows
from gpocli.spec import RunSpec
from gpocli.spec.batch import BatchPlan, notices
from gpocli.spec.fault import Fault, as_error
from gpocli.spec.load import Draft


@dataclass(frozen=True, slots=True)
class Preflight:
    """A run that is sound as far as can be told without its model.

    `sources` are digests of its code and data, `plugins` the packages of its plugins, `origins` where its settings were
    written, `notes` worth a line each to the user.
    """

    spec: RunSpec
    plan: BatchPlan
    group_filter: GroupFilter | None
    rewards: list[NamedReward]
    guards: list[NamedGuard]
    rows: Rows
    eval_rows: Rows | None
    sources: Mapping[str, str]
    notes: list[str]
    plugins: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Examination:
    """What came of looking at a run: the preflight, or all that is wrong in the order of places."""

    ready: Preflight | None
    faults: list[Fault]
    guards: list[NamedGuard] = field(default_factory=list)


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
    group_filter = None if host is None else check_filters(findings, host)
    rewards = [] if host is None else check_rewards(findings, host)
    guards = [] if host is None else check_guards(findings, host)
    check_model(findings)
    check_tokenizer(findings)
    check_demo(findings)
    check_packages(findings)
    check_server(findings)
    check_trackers(findings)
    check_trl(findings, processes)
    check_best_model(findings, rewards)
    check_run_directory(findings)
    plan = check_batch(findings, processes)
    rows = check_rows(findings, plan)
    eval_rows = check_eval_rows(findings)
    check_columns(findings, rewards, rows, eval_rows)
    check_code_tests(findings, rewards, rows, eval_rows)
    check_prompts(findings, rows, eval_rows)
    check_reward_models(findings, rewards, rows)
    if rows is not None:
        check_keywords(findings, group_filter, rows)
    check_hub_model(findings)
    faults = findings.faults
    if faults or host is None or plan is None or rows is None:
        return Examination(None, faults, guards)
    sources = sources_of(findings.spec, host, rows, eval_rows)
    notes = [str(plugin) for plugin in host.broken] + notices(findings.spec) + findings.notes
    origins = {path: str(place) for path, place in draft.places.items()}
    ready = Preflight(
        findings.spec,
        plan,
        group_filter,
        rewards,
        guards,
        rows,
        eval_rows,
        sources,
        notes,
        plugins_of(findings.spec, host),
        origins,
    )
    return Examination(ready, [], guards)


def processes_of_this_run() -> int:
    """Processes that the launcher has started, from its `WORLD_SIZE`."""
    return int(os.environ.get("WORLD_SIZE", "1"))
