"""Everything about a run that can be known before torch is imported: spec, plugins, sums and rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from gpocli.contracts.filter import GroupFilter, NamedFilter
from gpocli.contracts.options import OptionsError
from gpocli.data import Rows, require_columns
from gpocli.embedded import DEFAULTS_PATH
from gpocli.errors import SpecError
from gpocli.plugin_manager import NamedReward, PluginHost, load_plugins
from gpocli.spec import RunSpec
from gpocli.spec.algorithm import GRPOSpec
from gpocli.spec.batch import BatchPlan, notices, solve
from gpocli.spec.fault import Fault
from gpocli.spec.load import LoadedSpec, load_spec
from gpocli.spec.read_file import read_layer
from gpocli.training.dataset import eval_split_of, load_rows, require_generation_batch

EMBEDDED = "embedded"
Built = TypeVar("Built")


@dataclass(frozen=True, slots=True)
class SpecSources:
    """What the user gave on the command line: spec files, `--set` texts, and flags by dotted path."""

    files: Sequence[Path] = ()
    overrides: Sequence[str] = ()
    flags: Mapping[str, Any] | None = None


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


def load_run_spec(sources: SpecSources) -> LoadedSpec:
    """The spec with the defaults of the embedded model below it, if the run uses that model.

    Raises `SpecError` with all faults.
    """
    faults: list[Fault] = []
    base = read_layer(DEFAULTS_PATH, faults, name="embedded default")
    assert base is not None
    assert not faults
    loaded = load_spec(sources.files, sources.overrides, sources.flags, [base])
    if loaded.spec.model.name == EMBEDDED:
        return loaded
    return load_spec(sources.files, sources.overrides, sources.flags)


def check_run(loaded: LoadedSpec, processes: int = 1) -> Preflight:
    """Build filters and rewards, solve the batch and read the rows of a spec.

    Raises `SpecError`, or `PluginError` for a filter or reward that cannot be had.
    """
    spec, host = loaded.spec, load_plugins()
    filters = _build_filters(loaded, host)
    rewards = _build_rewards(loaded, host)
    _check_local_model(loaded)
    plan = solve(spec, processes)
    data = spec.data
    shared: dict[str, Any] = {"columns": data.columns, "system": data.system, "as_chat": data.chat}
    rows = load_rows(data.source, split=data.split, limit=data.limit, bad_rows=data.bad_rows, **shared)
    require_generation_batch(rows, plan.prompts_per_generation)
    eval_rows = _read_eval_rows(spec, shared)
    for reward in rewards:
        for some_rows in (rows, eval_rows):
            if some_rows is not None:
                require_columns(some_rows, reward.name, reward.columns)
    notes = [str(broken) for broken in host.broken] + notices(spec) + list(rows.notes)
    return Preflight(spec, plan, filters, rewards, rows, eval_rows, notes)


def _build_filters(loaded: LoadedSpec, host: PluginHost) -> list[NamedFilter]:
    algorithm = loaded.spec.algorithm
    if isinstance(algorithm, GRPOSpec):
        return []
    filters = [
        _placed(loaded, f"algorithm.filters.{i}", partial(host.build_filter, one.name, one.options))
        for i, one in enumerate(algorithm.filters)
    ]
    if filters and algorithm.keep is not None:
        GroupFilter(filters).check_keep(algorithm.keep)
    return filters


def _build_rewards(loaded: LoadedSpec, host: PluginHost) -> list[NamedReward]:
    max_tokens = loaded.spec.sampling.max_tokens

    def build(name: str, options: dict[str, Any]) -> NamedReward:
        # A reward that judges length against the run's limit should not need it written twice.
        if "max_tokens" in host.find_reward(name).extension.options.model_fields:
            options = {"max_tokens": max_tokens} | options
        return host.build_reward(name, options)

    return [
        _placed(loaded, f"rewards.{i}", partial(build, one.name, one.options))
        for i, one in enumerate(loaded.spec.rewards)
    ]


def _placed(loaded: LoadedSpec, path: str, build: Callable[[], Built]) -> Built:
    """Build, and tell the place in the spec that a wrong name or option has."""
    try:
        return build()
    except OptionsError as error:
        lines = []
        for problem in error.problems:
            key = ".".join([path, "options", *map(str, problem.path)])
            lines.append(f"{_at(loaded, key)}{key}: {problem.text}")
        raise SpecError("\n".join(lines)) from error
    except SpecError as error:
        raise SpecError(f"{_at(loaded, f'{path}.name')}{path}.name: {error}") from error


def _at(loaded: LoadedSpec, path: str) -> str:
    place = loaded.place_of(path)
    return "" if place is None else f"{place}: "


def _check_local_model(loaded: LoadedSpec) -> None:
    """A model that is named like a path is one, and fails here rather than after five requests to a hub."""
    name = loaded.spec.model.name
    path = Path(name).expanduser()
    if name == EMBEDDED or (path / "config.json").is_file() or (path / "adapter_config.json").is_file():
        return
    if path.is_dir():
        fault = f"'{name}' holds no model (no config.json); name the folder of a saved model"
    elif path.is_file():
        fault = f"'{name}' is a file; name the folder of a saved model"
    elif name.startswith(("/", "./", "../", "~")) or "\\" in name or name.count("/") > 1:
        fault = f"no such folder '{name}'; write the path of a saved model, or a hub id such as Qwen/Qwen3-0.6B"
    else:
        return
    raise SpecError(f"{_at(loaded, 'model.name')}model.name: {fault}")


def _read_eval_rows(spec: RunSpec, shared: dict[str, Any]) -> Rows | None:
    data = spec.data
    if spec.run.eval_every is None:
        return None
    source = data.eval_source or data.source
    split = data.eval_split or ("train" if data.eval_source else eval_split_of(source))
    if split is None:
        raise SpecError(
            f"run.eval_every asks for evaluation, but '{source}' has no split for it; write data.eval_source, or "
            "data.eval_split"
        )
    return load_rows(source, split=split, limit=data.eval_limit, bad_rows=data.bad_rows, **shared)
