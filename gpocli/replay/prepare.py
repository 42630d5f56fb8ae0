"""A replay put together: filter, k, rewards and data, of the run where nothing else is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpocli.contracts.filter import GroupFilter, NamedFilter
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.data import ROW_KEY
from gpocli.data.load import load_rows
from gpocli.errors import GpoError, SpecError
from gpocli.plugin_manager import PluginHost, load_plugins
from gpocli.replay.paid import Pay
from gpocli.replay.replay import Replay
from gpocli.runs.run import Run
from gpocli.settings.reward import RewardSpec, read_rewards
from gpocli.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Prepared:
    """A replay, what it keeps by, and what the user should know of it."""

    replay: Replay
    reward_names: list[str]
    notes: list[str] = field(default_factory=list)


def prepare(
    run: Run,
    filters: Sequence[str],
    keep: int | None,
    rewards: Sequence[str] = (),
    options: Mapping[str, Any] | None = None,
) -> Prepared:
    """The replay of a run with these filters (the run's own without any), k and rewards (`NAME[=WEIGHT]`).

    `options` are those of the first filter. Raises SpecError, and PluginError for what cannot be built.
    """
    spec, host, notes = run.spec, load_plugins(), []  # type: RunSpec, PluginHost, list[str]
    size = spec.algorithm.group_size
    kept = keep or spec.algorithm.kept or max(1, size // 2)
    if kept > size:
        raise SpecError(f"--keep {kept} is more than the {size} candidates of a group; write a smaller one")
    if spec.run.records == "kept":
        raise SpecError(
            "this run recorded the kept alone, so nothing else could be kept; name one with run.records: all"
        )
    group_filter = _filter(spec, host, filters, options or {})
    group_filter.check_keep(kept)
    own = _own_filter(spec, host)
    all_asked = not spec.algorithm.chain or (own is not None and own.needs_rewards)
    replay = Replay(
        group_filter,
        kept,
        rows=_rows(spec, notes),
        steps=spec.run.steps or max(run.candidates.steps, default=0),
        pay=_pay(spec, host, rewards, notes, needed=group_filter.needs_rewards, all_asked=all_asked),
        asks_all=bool(rewards),
        all_asked=all_asked,
        has_all_steps=spec.run.record_every == 1,
    )
    names = replay.pay.names if rewards and replay.pay else [one.name for one in spec.rewards]
    return Prepared(replay, list(names), notes)


def _filter(spec: RunSpec, host: PluginHost, names: Sequence[str], options: Mapping[str, Any]) -> GroupFilter:
    own = {one.name: one.options for one in spec.algorithm.chain}
    wanted = names or list(own)
    if not wanted:
        raise SpecError("this run has no filter; name one with --filter")
    built: list[NamedFilter] = []
    for place, name in enumerate(wanted):
        given = dict(own.get(name, {})) | (dict(options) if place == 0 else {})
        built.append(host.build_filter(name, given))
    return GroupFilter(built)


def _own_filter(spec: RunSpec, host: PluginHost) -> GroupFilter | None:
    """The filter of the run; None where it has none, or it can no longer be had."""
    try:
        built = [host.build_filter(one.name, one.options) for one in spec.algorithm.chain]
    except GpoError:
        return None
    return GroupFilter(built) if built else None


def _rows(spec: RunSpec, notes: list[str]) -> dict[str, dict[str, Any]]:
    """The data of the run by their number; none, and a note, where they can no longer be had."""
    try:
        rows = load_rows(spec.data.model_copy(update={"streaming": False}))
    except GpoError as error:
        notes.append(f"without the data of the run, of which a filter knows the prompts alone: {error}")
        return {}
    return {str(line): {**row, ROW_KEY: line} for line, row in zip(rows.lines, rows, strict=True)}


def _pay(
    spec: RunSpec, host: PluginHost, wanted: Sequence[str], notes: list[str], *, needed: bool, all_asked: bool
) -> Pay | None:
    """The rewards to ask: those wanted, else the run's where a filter needs some.

    Where the run asked for all itself, those that can no longer be had leave lost candidates without bounds.
    """
    if wanted:
        return _built(spec, host, [RewardSpec.model_validate(one) for one in _read(wanted)])
    if not needed:
        return None
    try:
        return _built(spec, host, spec.rewards)
    except GpoError as error:
        if not all_asked:
            raise
        notes.append(f"without the rewards of the run, which cannot be asked: {error}")
        return None


def _read(wanted: Sequence[str]) -> list[dict[str, Any]]:
    try:
        return read_rewards(list(wanted))
    except ValueError as error:
        raise SpecError(str(error)) from error


def _built(spec: RunSpec, host: PluginHost, rewards: Sequence[RewardSpec]) -> Pay:
    own = {one.name: one.options for one in spec.rewards}
    built = [host.build_reward(one.name, _options(spec, host, one, own)) for one in rewards]
    rules = [RewardRules(one.seconds, one.on_error) for one in rewards]
    functions = checked_rewards([one.function for one in built], [one.name for one in built], rules)
    return Pay(functions, [one.__name__ for one in functions], [one.weight for one in rewards])


def _options(spec: RunSpec, host: PluginHost, one: RewardSpec, own: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a reward; of one that the run has, those of the run, and the run's limit of tokens."""
    limit = host.find("reward", one.name).extension.options.model_fields.get("max_tokens")
    has_limit = limit is not None and limit.default is None
    return ({"max_tokens": spec.sampling.max_tokens} if has_limit else {}) | (one.options or own.get(one.name, {}))
