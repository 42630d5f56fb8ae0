"""The plugin host: it finds filters and rewards, built-in, installed or in a file, and builds them by name."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.metadata import entry_points as entry_points_of
from types import ModuleType
from typing import Any, Generic, TypeVar

from pluggy import PluginValidationError

from gpocli import __version__
from gpocli.contracts.callables import call_signature, one_line_cause
from gpocli.contracts.filter import NamedFilter
from gpocli.contracts.nearest import did_you_mean
from gpocli.contracts.options import checked_options
from gpocli.contracts.plugin import Extensions, PluginFault, extensions_of
from gpocli.contracts.reference import follow_reference, is_reference
from gpocli.contracts.reward import REWARD_KEYWORDS
from gpocli.contracts.scores import shown
from gpocli.contracts.unpackaged import as_extension
from gpocli.errors import GpoError, PluginError, SpecError
from gpocli.extensions import FilterExtension, RewardExtension

GROUP = "gpo"
BUILTIN = "gpocli.builtin.plugin"

ONLY = "GPO_PLUGINS"
"""Environment variable: the installed plugins (or distributions) to load, with commas; empty: none."""
STRICT = "GPO_PLUGINS_STRICT"
"""Environment variable: whether a broken plugin, or a name that two claim, is an error at once."""

E = TypeVar("E", FilterExtension, RewardExtension)


@dataclass(frozen=True, slots=True)
class Registered(Generic[E]):
    """A filter or reward, and where it comes from; `distribution` is None for one that is not installed."""

    extension: E
    plugin: str
    distribution: str | None
    version: str | None
    file: str | None

    @property
    def origin(self) -> str:
        """`plugin 'lines' (gpo-filter-lines 1.0)`."""
        return _origin(self.plugin, self.distribution, self.version)


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A plugin that could not be loaded; nothing of it is used. `reason` is one line."""

    name: str
    distribution: str | None
    version: str | None
    reason: str

    def __str__(self) -> str:
        return f"{_origin(self.name, self.distribution, self.version)} is broken: {self.reason}"


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A plugin that was loaded, the names of what it gave, and which of them others claim too."""

    name: str
    distribution: str | None
    version: str | None
    file: str | None
    filters: tuple[str, ...]
    rewards: tuple[str, ...]
    clashes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedReward:
    """A reward under the name that messages and records use, and the data columns it cannot do without."""

    name: str
    function: Callable[..., Any]
    columns: tuple[str, ...] = ()


class PluginHost:
    """All filters and rewards there are; built by `load_plugins`.

    A reference is a registered name, `./file.py:name` or `package.module:name`. What a reference leads to is a
    filter or reward itself, a class (made with the options as keywords) or an extension record.

    The methods raise `SpecError` for a reference or option that is wrong, and `PluginError` for a name that two
    plugins claim or that a broken plugin may have given, and for code that fails.
    """

    def __init__(self, loaded: Sequence["LoadedPlugin"], broken: Sequence[BrokenPlugin]) -> None:
        self.loaded = list(loaded)
        self.broken = list(broken)
        self._filter_claims = _claims(loaded, lambda given: given.filters)
        self._reward_claims = _claims(loaded, lambda given: given.rewards)
        self.filters = {name: claims[0] for name, claims in self._filter_claims.items() if len(claims) == 1}
        self.rewards = {name: claims[0] for name, claims in self._reward_claims.items() if len(claims) == 1}
        self.plugins = [self._info(plugin) for plugin in loaded]

    def find_filter(self, reference: str) -> Registered[FilterExtension]:
        """The filter that `reference` names, not yet built."""
        if is_reference(reference):
            return _unpackaged(reference, FilterExtension, "filter")
        if reference not in self.filters:
            raise self._unusable(reference, "filter")
        return self.filters[reference]

    def find_reward(self, reference: str) -> Registered[RewardExtension]:
        """The reward that `reference` names, not yet built."""
        if is_reference(reference):
            return _unpackaged(reference, RewardExtension, "reward")
        if reference not in self.rewards:
            raise self._unusable(reference, "reward")
        return self.rewards[reference]

    def build_filter(self, reference: str, options: Mapping[str, Any] | None = None) -> NamedFilter:
        """Build the filter that `reference` names with `options`, checked by its own model."""
        found = self.find_filter(reference)
        function = _built(found.extension, f"filter '{reference}'", found.origin, options or {})
        return NamedFilter(found.extension.name, function)

    def build_reward(self, reference: str, options: Mapping[str, Any] | None = None) -> NamedReward:
        """Build the reward that `reference` names with `options`, checked by its own model."""
        found = self.find_reward(reference)
        function = _built(found.extension, f"reward '{reference}'", found.origin, options or {})
        return NamedReward(found.extension.name, function, _columns_of(function, found.extension))

    def claims(self, kind: str, name: str) -> Sequence[Registered[Any]]:
        """Whatever claims the name of a "filter" or "reward": none, one, or several that exclude each other."""
        every: Mapping[str, Sequence[Registered[Any]]] = (
            self._filter_claims if kind == "filter" else self._reward_claims
        )
        return every.get(name, ())

    @property
    def clashes(self) -> list[str]:
        """The names that several plugins claim, and which: one line each."""
        every: list[tuple[str, Mapping[str, Sequence[Registered[Any]]]]] = [
            ("filter", self._filter_claims),
            ("reward", self._reward_claims),
        ]
        return [
            _clash(kind, name, claimed)
            for kind, claims in every
            for name, claimed in claims.items()
            if len(claimed) > 1
        ]

    def _unusable(self, name: str, kind: str) -> GpoError:
        """Why nothing can be had under this name."""
        claims: Mapping[str, Sequence[Registered[Any]]] = self._filter_claims
        others: Mapping[str, Sequence[Registered[Any]]] = self._reward_claims
        other_kind = "reward"
        if kind == "reward":
            claims, others, other_kind = others, claims, "filter"
        if name in claims:
            return PluginError(_clash(kind, name, claims[name]))
        if name in others:
            return SpecError(f"'{name}' is a {other_kind}, not a {kind}; name it as a {other_kind}")
        unknown = f"unknown {kind} '{name}'; {did_you_mean(name, claims)}"
        if not self.broken:
            return SpecError(unknown)
        faults = "; ".join(map(str, self.broken))
        return PluginError(f"{unknown}; if a broken plugin gives it, mend that: {faults}")

    def _info(self, plugin: "LoadedPlugin") -> PluginInfo:
        filters = tuple(extension.name for extension in plugin.given.filters)
        rewards = tuple(extension.name for extension in plugin.given.rewards)
        clashes = [
            f"{kind} '{name}' is also claimed by {claim.origin}"
            for kind, names, all_claims in (
                ("filter", filters, self._filter_claims),
                ("reward", rewards, self._reward_claims),
            )
            for name in names
            for claim in all_claims[name]
            if claim.plugin != plugin.name or claim.distribution != plugin.distribution
        ]
        return PluginInfo(
            plugin.name, plugin.distribution, plugin.version, plugin.file, filters, rewards, tuple(clashes)
        )


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A plugin that keeps the contract, and what it gave."""

    name: str
    distribution: str | None
    version: str | None
    file: str | None
    given: Extensions


def load_plugins(*, entry_points: bool = True) -> PluginHost:
    """Load the built-in plugin and, with `entry_points`, the installed ones, each on its own.

    What is wrong with an installed plugin is recorded as `PluginHost.broken` and reaches nothing else, unless
    `GPO_PLUGINS_STRICT` is set: then `PluginError` tells all that is wrong. `GPO_PLUGINS` chooses among the
    installed ones; `SpecError` for one that is not installed.
    """
    builtin = import_module(BUILTIN)
    loaded = [LoadedPlugin("builtin", "gpocli", __version__, _file_of(builtin), extensions_of(builtin))]
    broken: list[BrokenPlugin] = []
    for entry_point in _chosen() if entry_points else []:
        distribution, version = _provenance(entry_point)
        try:
            plugin = entry_point.load()
            given = extensions_of(plugin)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - plugins may raise anything
            broken.append(BrokenPlugin(entry_point.name, distribution, version, _reason(error)))
        else:
            loaded.append(LoadedPlugin(entry_point.name, distribution, version, _file_of(plugin), given))
    host = PluginHost(loaded, broken)
    faults = [*map(str, broken), *host.clashes]
    if faults and os.environ.get(STRICT, "").lower() not in ("", "0", "false", "no"):
        raise PluginError("\n".join(faults))
    return host


def build_extension(
    extension: FilterExtension | RewardExtension, options: Mapping[str, Any]
) -> NamedFilter | NamedReward:
    """Build what a record stands for, outside of any host, with options checked; raises as `PluginHost` does."""
    if isinstance(extension, FilterExtension):
        owner = f"filter '{extension.name}'"
        return NamedFilter(extension.name, _built(extension, owner, "this plugin", options))
    function = _built(extension, f"reward '{extension.name}'", "this plugin", options)
    return NamedReward(extension.name, function, _columns_of(function, extension))


def _chosen() -> list[EntryPoint]:
    """The installed plugins, or those of them that `GPO_PLUGINS` names."""
    wanted = os.environ.get(ONLY)
    if wanted is None:
        return _installed()
    names = [name for name in map(str.strip, wanted.split(",")) if name]
    if not names:
        return []
    installed = _installed()
    known = {name for point in installed for name in _names_of(point)}
    for name in names:
        if name not in known:
            raise SpecError(f"{ONLY} names '{name}', which is no installed plugin; {did_you_mean(name, known)}")
    return [point for point in installed if _names_of(point).intersection(names)]


def _names_of(entry_point: EntryPoint) -> set[str]:
    distribution, _ = _provenance(entry_point)
    return {entry_point.name} if distribution is None else {entry_point.name, distribution}


def _installed() -> list[EntryPoint]:
    found = [point for point in entry_points_of(group=GROUP) if point.value != BUILTIN]
    return sorted(found, key=lambda point: (_provenance(point)[0] or "", point.name))


def _provenance(entry_point: EntryPoint) -> tuple[str | None, str | None]:
    return (entry_point.dist.name, entry_point.dist.version) if entry_point.dist is not None else (None, None)


def _reason(error: BaseException) -> str:
    if isinstance(error, PluginFault | PluginValidationError):
        return " ".join(str(error).split())
    return one_line_cause(error)


def _file_of(plugin: object) -> str | None:
    module = plugin if isinstance(plugin, ModuleType) else sys.modules.get(type(plugin).__module__)
    return getattr(module, "__file__", None)


def _claims(
    loaded: Sequence[LoadedPlugin], extensions: Callable[[Extensions], Sequence[E]]
) -> dict[str, list[Registered[E]]]:
    claims: dict[str, list[Registered[E]]] = {}
    for plugin in loaded:
        for extension in extensions(plugin.given):
            claim = Registered(extension, plugin.name, plugin.distribution, plugin.version, plugin.file)
            claims.setdefault(extension.name, []).append(claim)
    return claims


def _unpackaged(reference: str, record: type[E], kind: str) -> Registered[E]:
    found = follow_reference(reference, kind)
    return Registered(as_extension(found, reference, record, kind), reference, None, None, found.file)


def _built(
    extension: FilterExtension | RewardExtension, owner: str, origin: str, options: Mapping[str, Any]
) -> Callable[..., Any]:
    checked = checked_options(extension.options, options, owner)
    try:
        function: object = extension.build(checked)
    except GpoError:
        raise
    except Exception as error:
        raise PluginError(
            f"{owner} of {origin} could not be built: {one_line_cause(error)}; check its options"
        ) from error
    if not callable(function):
        raise PluginError(f"{owner} of {origin} built {shown(function)}; its build must return a callable")
    return function


def _columns_of(function: Callable[..., Any], extension: RewardExtension) -> tuple[str, ...]:
    """The data columns that a reward needs: those it says it does, and keywords that nobody else gives.

    A built reward may have `columns` of its own, when its options decide which they are.
    """
    declared = getattr(function, "columns", extension.columns)
    signature = call_signature(function, leading=0)
    required = sorted(signature.required.difference(REWARD_KEYWORDS)) if signature is not None else []
    return tuple(dict.fromkeys([*declared, *required]))


def _clash(kind: str, name: str, claims: Sequence[Registered[Any]]) -> str:
    origins = " and ".join(claim.origin for claim in claims)
    return f"{kind} '{name}' is claimed by {origins}; uninstall all but one"


def _origin(plugin: str, distribution: str | None, version: str | None) -> str:
    if distribution is None:
        return f"plugin '{plugin}'"
    return f"plugin '{plugin}' ({distribution} {version})"
