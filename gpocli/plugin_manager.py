"""The plugin host: it finds what plugins give, built-in, installed or in a file, and builds filters and rewards."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Generic, TypeVar

from gpocli import __version__
from gpocli.contracts.building import NamedReward, built, named_reward
from gpocli.contracts.filter import NamedFilter
from gpocli.contracts.guards import NamedGuard
from gpocli.contracts.installed import BrokenPlugin, LoadedPlugin, chosen, file_of, loaded, origin_of
from gpocli.contracts.nearest import did_you_mean
from gpocli.contracts.plugin import RECORDS, Kind, extensions_of
from gpocli.contracts.reference import follow_reference, is_reference
from gpocli.contracts.unpackaged import as_extension
from gpocli.errors import GpoError, PluginError, SpecError
from gpocli.extensions import AlgorithmExtension, Extension, FilterExtension, GuardExtension, RewardExtension
from gpocli.settings.guards import GuardAction

BUILTIN = "gpocli.builtin.plugin"

STRICT = "GPO_PLUGINS_STRICT"
"""Environment variable: whether a broken plugin, or a name that two claim, is an error at once."""

E = TypeVar("E", bound=Extension, covariant=True)


@dataclass(frozen=True, slots=True)
class Registered(Generic[E]):
    """What a plugin gave, and where it comes from; `distribution` is None for what is not installed."""

    extension: E
    plugin: str
    distribution: str | None
    version: str | None
    file: str | None

    @property
    def origin(self) -> str:
        """`plugin 'lines' (gpo-filter-lines 1.0)`."""
        return origin_of(self.plugin, self.distribution, self.version)


class PluginHost:
    """All filters, rewards and algorithms there are; built by `load_plugins`.

    A reference to a filter or reward is a registered name, `./file.py:name` or `package.module:name`. What it leads to
    is a filter or reward itself, a class (made with the options as keywords) or an extension record. What a plugin
    gives under a name that is built in is named `distribution:name`. Behind the name of a reward that takes one stands,
    after a colon, the value of an option: `model:FOLDER`.

    The methods raise `SpecError` for a reference or option that is wrong, and `PluginError` for a name that two
    plugins claim or that a broken plugin may have given, and for code that fails.
    """

    def __init__(self, plugins: Sequence[LoadedPlugin], broken: Sequence[BrokenPlugin]) -> None:
        self.plugins = list(plugins)
        self.broken = list(broken)
        self._claims = {kind: _claims_of(kind, plugins) for kind in RECORDS}
        self.filters: dict[str, Registered[FilterExtension]] = self._sole("filter")
        self.rewards: dict[str, Registered[RewardExtension]] = self._sole("reward")
        self.guards: dict[str, Registered[GuardExtension]] = self._sole("guard")
        self.algorithms: dict[str, Registered[AlgorithmExtension]] = self._sole("algorithm")

    def find(self, kind: Kind, reference: str) -> Registered[Any]:
        """What `reference` names, not yet built."""
        claims = self.claims(kind, reference if kind != "reward" else self._parted(reference)[0])
        if len(claims) == 1:
            return claims[0]
        if kind != "algorithm" and is_reference(reference):
            found = follow_reference(reference, kind)
            return Registered(as_extension(found, reference, kind), reference, None, None, found.file)
        raise self._unusable(kind, reference)

    def build_filter(self, reference: str, options: Mapping[str, Any] | None = None) -> NamedFilter:
        """Build the filter that `reference` names with `options`, checked by its own model."""
        found = self.find("filter", reference)
        return NamedFilter(found.extension.name, built(found.extension, reference, found.origin, options or {}))

    def build_reward(self, reference: str, options: Mapping[str, Any] | None = None) -> NamedReward:
        """Build the reward that `reference` names with `options`, checked by its own model."""
        found = self.find("reward", reference)
        given = {**(options or {}), **self._parted(reference)[1]}
        return named_reward(found.extension, built(found.extension, reference, found.origin, given))

    def _parted(self, reference: str) -> tuple[str, dict[str, str]]:
        """The name of a reward, and the option that is written behind it."""
        name, colon, value = reference.partition(":")
        claims = self.claims("reward", name) if colon else ()
        argument = claims[0].extension.argument if len(claims) == 1 else None
        return (reference, {}) if argument is None else (name, {argument: value})

    def build_guard(
        self, reference: str, options: Mapping[str, Any] | None = None, action: GuardAction | None = None
    ) -> NamedGuard:
        """Build the guard that `reference` names with `options`, checked by its own model; a function is its check."""
        extension = (found := self.find("guard", reference)).extension
        guard = built(extension, reference, found.origin, options or {})
        return NamedGuard(extension.name, getattr(guard, "check", guard), action or extension.action)

    def claims(self, kind: Kind, name: str) -> Sequence[Registered[Any]]:
        """Whatever claims a name: none, one, or several that exclude each other."""
        return self._claims[kind].get(name, ())

    @property
    def clashes(self) -> list[str]:
        """The names that several plugins claim, and which: one line each."""
        return [
            _clash(kind, name, claimed)
            for kind, claims in self._claims.items()
            for name, claimed in claims.items()
            if len(claimed) > 1
        ]

    @property
    def renamed(self) -> list[str]:
        """What plugins gave under the name of something built in, and how it is to be named: one line each."""
        return [f"plugin '{plugin.name}': {line}" for plugin in self.plugins for line in self.renamed_of(plugin)]

    def renamed_of(self, plugin: LoadedPlugin) -> list[str]:
        """As `renamed`, of one plugin."""
        built_in = [
            (kind, name) for kind in RECORDS for name in plugin.given.names(kind) if self._is_taken(plugin, kind, name)
        ]
        return [
            f"{kind} '{name}' is built in; "
            + ("its own cannot be had" if kind == "algorithm" else f"name its own as {_own_name(plugin, name)}")
            for kind, name in built_in
        ]

    def names_of(self, plugin: LoadedPlugin, kind: Kind) -> tuple[str, ...]:
        """The names under which what a plugin gave can be had."""
        return tuple(
            _own_name(plugin, name) if self._is_taken(plugin, kind, name) else name
            for name in plugin.given.names(kind)
            if kind != "algorithm" or not self._is_taken(plugin, kind, name)
        )

    def _is_taken(self, plugin: LoadedPlugin, kind: Kind, name: str) -> bool:
        return not _is_builtin(plugin) and name in _builtin_names(kind, self.plugins)

    def clashes_of(self, plugin: LoadedPlugin) -> list[str]:
        """The names of a plugin that others claim too: one line each."""
        return [
            f"{kind} '{name}' is also claimed by {claim.origin}"
            for kind in RECORDS
            for name in self.names_of(plugin, kind)
            for claim in self.claims(kind, name)
            if (claim.plugin, claim.distribution) != (plugin.name, plugin.distribution)
        ]

    def _sole(self, kind: Kind) -> dict[str, Registered[Any]]:
        return {name: claims[0] for name, claims in self._claims[kind].items() if len(claims) == 1}

    def _unusable(self, kind: Kind, name: str) -> GpoError:
        """Why nothing can be had under this name."""
        if claims := self.claims(kind, name):
            return PluginError(_clash(kind, name, claims))
        if other := next((other for other in RECORDS if self.claims(other, name)), None):
            return SpecError(f"'{name}' is {_a(other)}, not {_a(kind)}; name it as {_a(other)}")
        unknown = f"unknown {kind} '{name}'; {did_you_mean(name, self._claims[kind])}"
        if not self.broken:
            return SpecError(unknown)
        faults = "; ".join(map(str, self.broken))
        return PluginError(f"{unknown}; if a broken plugin gives it, mend that: {faults}")


def load_plugins(*, entry_points: bool = True, strict: bool | None = None) -> PluginHost:
    """Load the built-in plugin and, with `entry_points`, the installed ones, each on its own.

    What is wrong with an installed plugin is recorded as `PluginHost.broken` and reaches nothing else, unless
    `strict`, which `GPO_PLUGINS_STRICT` sets where it is None: then `PluginError` tells all that is wrong.
    `GPO_PLUGINS` chooses among the installed ones; `SpecError` for one that is not installed.
    """
    builtin = import_module(BUILTIN)
    ours = LoadedPlugin("builtin", "gpocli", __version__, file_of(builtin), extensions_of(builtin))
    others = [loaded(point) for point in chosen(BUILTIN)] if entry_points else []
    host = PluginHost(
        [ours, *(plugin for plugin in others if isinstance(plugin, LoadedPlugin))],
        [plugin for plugin in others if isinstance(plugin, BrokenPlugin)],
    )
    faults = [*map(str, host.broken), *host.clashes, *host.renamed]
    if faults and (_is_strict() if strict is None else strict):
        raise PluginError("\n".join(faults))
    return host


def _is_strict() -> bool:
    return os.environ.get(STRICT, "").lower() not in ("", "0", "false", "no")


def _claims_of(kind: Kind, plugins: Sequence[LoadedPlugin]) -> dict[str, list[Registered[Any]]]:
    """What claims each name. A name that is built in stays so: who takes it too is there under one of its own."""
    built_in = _builtin_names(kind, plugins)
    claims: dict[str, list[Registered[Any]]] = {}
    for plugin in plugins:
        for extension in plugin.given.of(kind):
            if extension.name in built_in and not _is_builtin(plugin):
                if kind == "algorithm":  # whose section says its name itself
                    continue
                extension = replace(extension, name=_own_name(plugin, extension.name))
            claim = Registered(extension, plugin.name, plugin.distribution, plugin.version, plugin.file)
            claims.setdefault(extension.name, []).append(claim)
    return claims


def _is_builtin(plugin: LoadedPlugin) -> bool:
    return (plugin.name, plugin.distribution) == ("builtin", "gpocli")


def _builtin_names(kind: Kind, plugins: Sequence[LoadedPlugin]) -> set[str]:
    return {name for plugin in plugins if _is_builtin(plugin) for name in plugin.given.names(kind)}


def _own_name(plugin: LoadedPlugin, name: str) -> str:
    """The name of what a plugin gave under one that is built in."""
    return f"{plugin.distribution or plugin.name}:{name}"


def _a(kind: Kind) -> str:
    return f"an {kind}" if kind[0] == "a" else f"a {kind}"


def _clash(kind: Kind, name: str, claims: Sequence[Registered[Any]]) -> str:
    origins = " and ".join(claim.origin for claim in claims)
    return f"{kind} '{name}' is claimed by {origins}; uninstall all but one"
