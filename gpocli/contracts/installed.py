"""The installed plugins: which there are, which of them are wanted, and how each is loaded on its own."""

import os
import sys
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from importlib.metadata import entry_points as entry_points_of
from types import ModuleType

from pluggy import PluginValidationError

from gpocli.contracts.callables import one_line_cause
from gpocli.contracts.nearest import did_you_mean
from gpocli.contracts.plugin import Extensions, PluginFault, extensions_of
from gpocli.errors import SpecError

GROUP = "gpo"

ONLY = "GPO_PLUGINS"
"""Environment variable: the installed plugins (or distributions) to load, with commas; empty: none."""


@dataclass(frozen=True, slots=True)
class BrokenPlugin:
    """A plugin that could not be loaded; nothing of it is used. `reason` is one line."""

    name: str
    distribution: str | None
    version: str | None
    reason: str

    def __str__(self) -> str:
        return f"{origin_of(self.name, self.distribution, self.version)} is broken: {self.reason}"


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A plugin that keeps the contract, and what it gave."""

    name: str
    distribution: str | None
    version: str | None
    file: str | None
    given: Extensions


def loaded(entry_point: EntryPoint) -> LoadedPlugin | BrokenPlugin:
    """The plugin of an entry point; whatever is wrong with it reaches nothing else."""
    distribution, version = _provenance(entry_point)
    try:
        plugin = entry_point.load()
        given = extensions_of(plugin)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - plugins may raise anything
        return BrokenPlugin(entry_point.name, distribution, version, _reason(error))
    return LoadedPlugin(entry_point.name, distribution, version, file_of(plugin), given)


def chosen(builtin: str) -> list[EntryPoint]:
    """The installed plugins but `builtin`, or those of them that `GPO_PLUGINS` names; SpecError for an unknown one."""
    wanted = os.environ.get(ONLY)
    if wanted is None:
        return _installed(builtin)
    names = [name for name in map(str.strip, wanted.split(",")) if name]
    if not names:
        return []
    installed = _installed(builtin)
    known = {name for point in installed for name in _names_of(point)}
    for name in names:
        if name not in known:
            raise SpecError(f"{ONLY} names '{name}', which is no installed plugin; {did_you_mean(name, known)}")
    return [point for point in installed if _names_of(point).intersection(names)]


def _names_of(entry_point: EntryPoint) -> set[str]:
    distribution, _ = _provenance(entry_point)
    return {entry_point.name} if distribution is None else {entry_point.name, distribution}


def _installed(builtin: str) -> list[EntryPoint]:
    found = [point for point in entry_points_of(group=GROUP) if point.value != builtin]
    return sorted(found, key=lambda point: (_provenance(point)[0] or "", point.name))


def _provenance(entry_point: EntryPoint) -> tuple[str | None, str | None]:
    return (entry_point.dist.name, entry_point.dist.version) if entry_point.dist is not None else (None, None)


def _reason(error: BaseException) -> str:
    if isinstance(error, PluginFault | PluginValidationError):
        return " ".join(str(error).split())
    return one_line_cause(error)


def file_of(plugin: object) -> str | None:
    """The file that a plugin was loaded from, where there is one."""
    module = plugin if isinstance(plugin, ModuleType) else sys.modules.get(type(plugin).__module__)
    return getattr(module, "__file__", None)


def origin_of(plugin: str, distribution: str | None, version: str | None) -> str:
    """`plugin 'lines' (gpo-filter-lines 1.0)`."""
    if distribution is None:
        return f"plugin '{plugin}'"
    return f"plugin '{plugin}' ({distribution} {version})"
