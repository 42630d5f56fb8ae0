"""An author's strict check of a plugin: its package, its hooks, its records, and a trial of all that it gives."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pluggy import PluginValidationError

from gpocli.contracts.building import build_extension
from gpocli.contracts.callables import one_line_cause
from gpocli.contracts.filter import NamedFilter
from gpocli.contracts.installed import GROUP, BrokenPlugin, LoadedPlugin
from gpocli.contracts.nearest import did_you_mean
from gpocli.contracts.option_docs import option_docs
from gpocli.contracts.options import OptionsError
from gpocli.contracts.plugin import HOOKS, RECORDS, Extensions, Kind, PluginFault, extensions_of
from gpocli.contracts.reference import import_file, importable
from gpocli.data import Rows
from gpocli.errors import EnvironmentFault, GpoError, SpecError, counted
from gpocli.extensions import AlgorithmExtension, Extension, FilterExtension, GuardExtension, RewardExtension
from gpocli.plugin_manager import PluginHost
from gpocli.settings.setting import declared
from gpocli.spec.flags import taken_flags
from gpocli.spec.trl_schema import trl_options
from gpocli.trial.filter import try_filter
from gpocli.trial.guard import try_guard
from gpocli.trial.made_up import made_up, options_for
from gpocli.trial.report import Check
from gpocli.trial.reward import try_reward

LONGEST_SUMMARY = 100


@dataclass(frozen=True, slots=True)
class PluginCheck:
    """What the check of one plugin found; `name` says which it is and where it is from."""

    name: str
    checks: tuple[Check, ...]

    @property
    def faults(self) -> list[str]:
        """All faults, one line each."""
        return [fault for check in self.checks for fault in check.faults]


def check_plugins(target: str | None, host: PluginHost, rows: Rows) -> list[PluginCheck]:
    """Check the plugin that `target` names: an installed one, `./file.py`, or the folder of a package.

    Without a target: the package in this folder, or else every installed plugin. Filters and rewards are tried on
    `rows`. Raises SpecError when there is no such plugin.
    """
    installed: list[LoadedPlugin | BrokenPlugin] = [*host.plugins, *host.broken]
    if target is None and not _entry_points(_project(Path.cwd())):
        return [_check_installed(plugin, host, rows) for plugin in installed if plugin.name != "builtin"]
    folder = Path.cwd() if target is None else Path(target).expanduser()
    if target is None or folder.is_dir():
        return _check_folder(folder, host, rows)
    if target.endswith(".py"):
        given = _load(lambda: import_file(target, "plugin"))
        return [_checked(f"plugin {target}", given, host, rows, None)]
    for plugin in installed:
        if target in (plugin.name, plugin.distribution):
            return [_check_installed(plugin, host, rows)]
    near = did_you_mean(target, [plugin.name for plugin in installed])
    raise SpecError(f"no plugin '{target}'; {near} (or name ./file.py or a folder)")


def _check_installed(plugin: LoadedPlugin | BrokenPlugin, host: PluginHost, rows: Rows) -> PluginCheck:
    if isinstance(plugin, BrokenPlugin):
        return PluginCheck(f"plugin '{plugin.name}'", (Check("loads", "no", (str(plugin),)),))
    name = f"plugin '{plugin.name}' ({plugin.distribution} {plugin.version})"
    is_package = plugin.distribution is not None and plugin.name != "builtin"
    before = [_check_distribution(str(plugin.distribution))] if is_package else []
    return _checked(name, plugin.given, host, rows, plugin.distribution, *before)


def _check_distribution(name: str) -> Check:
    """What `_check_package` says, of a package that is installed, from its metadata."""
    faults = []
    found = distribution(name)
    if not any(one.replace("_", "-").lower().startswith("gpocli") for one in found.requires or []):
        faults.append(f"'{name}' does not depend on gpocli; write dependencies = [\"gpocli\"] in its pyproject.toml")
    if not (found.metadata.get("Description") or found.metadata.get_payload() or "").strip():  # type: ignore[attr-defined]
        faults.append(f"'{name}' has no README; write README.md, and readme = \"README.md\" in its pyproject.toml")
    return Check("package", f"{name} {found.version}", tuple(faults))


def _check_folder(folder: Path, host: PluginHost, rows: Rows) -> list[PluginCheck]:
    """The package in a folder, from its source, whether it is installed or not."""
    project = _project(folder)
    points = _entry_points(project)
    if not points:
        raise SpecError(
            f"'{folder / 'pyproject.toml'}' names no plugin; write [project.entry-points.{GROUP}] with a line such as "
            'my_name = "my_module"'
        )
    package = _check_package(folder, project)
    checks = []
    for name, module in points.items():
        # First on the path, so that an installed copy is not checked in its place.
        with importable(folder, first=True), importable(folder / "src", first=True):
            given = _load(EntryPoint(name, module, GROUP).load)
        checks.append(_checked(f"plugin '{name}' in {folder}", given, host, rows, str(project.get("name")), package))
    return checks


def _project(folder: Path) -> dict[str, Any]:
    """What the `pyproject.toml` of a folder says about its project."""
    path = folder / "pyproject.toml"
    if not path.is_file():
        return {}
    try:
        project: dict[str, Any] = tomllib.loads(path.read_text("utf-8")).get("project", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"'{path}' cannot be read ({error}); mend it") from error
    return project


def _entry_points(project: dict[str, Any]) -> dict[str, str]:
    points = project.get("entry-points", {})
    found = points.get(GROUP, {}) if isinstance(points, dict) else {}
    return found if isinstance(found, dict) else {}


def _check_package(folder: Path, project: dict[str, Any]) -> Check:
    faults = []
    needs = [str(one) for one in project.get("dependencies", [])]
    if not any(one.replace("_", "-").lower().startswith("gpocli") for one in needs):
        faults.append(f"'{folder / 'pyproject.toml'}' does not depend on gpocli; write dependencies = [\"gpocli\"]")
    if not any(folder.glob("README*")):
        faults.append(f"'{folder}' has no README; write README.md, which says what it is for")
    return Check("package", f"{project.get('name')} {project.get('version', '')}".strip(), tuple(faults))


def _load(load: Callable[[], object]) -> Extensions | str:
    """What a plugin gives, or why it cannot be loaded. Raises SpecError when there is nothing to load."""
    try:
        return extensions_of(load())
    except SpecError:
        raise
    except (PluginFault, PluginValidationError, GpoError) as error:
        return " ".join(str(error).split())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - plugins may raise anything
        return one_line_cause(error)


def _checked(
    name: str, given: Extensions | str, host: PluginHost, rows: Rows, distribution: str | None, *before: Check
) -> PluginCheck:
    """The check of what a plugin gives, after the checks `before`."""
    if isinstance(given, str):
        loads = Check("loads", "no", (f"{name} is broken: {given}",))
        return PluginCheck(name, (*before, loads))
    checks = [_check_extension(kind, one, host, rows, distribution) for kind in RECORDS for one in given.of(kind)]
    loads = Check("loads", ", ".join(counted(len(given.of(kind)), kind) for kind in RECORDS))
    if not checks:
        fault = f"{name} gives no {' and no '.join(RECORDS)}; return records from {' or '.join(HOOKS)}"
        loads = Check("loads", "yes, but gives nothing", (fault,))
    return PluginCheck(name, (*before, loads, *checks))


def _check_extension(kind: Kind, extension: Extension, host: PluginHost, rows: Rows, distribution: str | None) -> Check:
    owner = f"{kind} '{extension.name}'"
    faults = [*_taken(extension.name, kind, host, distribution), *_undocumented(extension, owner)]
    if isinstance(extension, AlgorithmExtension):
        finding, tried = "sound", list(_unusable(extension, owner))
    elif isinstance(extension, GuardExtension):
        finding, tried = try_guard(extension)
    else:
        finding, tried = _tried(extension, rows)
    faults += tried
    title = f"{kind} {extension.name}"
    return Check(title, finding if not faults else counted(len(faults), "fault"), tuple(faults))


def _taken(name: str, kind: Kind, host: PluginHost, distribution: str | None) -> Iterator[str]:
    for claim in host.claims(kind, name):
        if distribution is None or _plain(claim.distribution) != _plain(distribution):
            yield f"{kind} '{name}' is also claimed by {claim.origin}; choose another name"


def _plain(distribution: str | None) -> str:
    return (distribution or "").lower().replace("_", "-").replace(".", "-")  # one name in many spellings


def _undocumented(extension: Extension, owner: str) -> Iterator[str]:
    summary = extension.summary
    if not summary.strip():
        yield f"{owner} has no summary; write one line that says what it does"
    elif "\n" in summary or len(summary) > LONGEST_SUMMARY:
        yield f"the summary of {owner} has {len(summary)} characters; write one line of at most {LONGEST_SUMMARY}"
    options = extension.section if isinstance(extension, AlgorithmExtension) else extension.options
    for option in option_docs(options):
        if not option.doc:
            yield f"option '{option.name}' of {owner} has no description; write a docstring under it"


def _unusable(extension: AlgorithmExtension, owner: str) -> Iterator[str]:
    """What would only fail, or have no effect, once a run starts."""
    for one in declared(extension.section, ""):
        if not one.setting.owned and one.path in {*extension.section.model_fields} - {"type", "filters"}:
            yield f"setting '{one.path}' of {owner} goes nowhere; put gpocli.Setting into its Annotated"
    yield from taken_flags(extension)
    for place in (extension.trainer, extension.config):
        if not _is_module(place.partition(":")[0]):
            yield f"there is no module of {place}, which {owner} names; write package.module:Class"
    if extension.config.startswith("gpocli."):  # another config may have options of its own
        for name in (*extension.options, *extension.refused):
            if name not in trl_options():
                yield f"'{name}' of {owner} is no option of TRL's GRPOConfig; {did_you_mean(name, trl_options())}"


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _tried(extension: FilterExtension | RewardExtension, rows: Rows) -> tuple[str, list[str]]:
    """A trial on made-up completions: what came of it, and the faults."""
    kind = "filter" if isinstance(extension, FilterExtension) else "reward"
    command = f"gpo {kind}s test {extension.name}"
    try:
        built = build_extension(extension, options_for(extension))
        if isinstance(built, NamedFilter):
            samples = made_up(rows)
            report = try_filter(built, extension.name, samples, len(samples.groups[0].candidates) // 2)
        else:
            missing = [name for name in built.columns if name not in rows.columns]
            if missing:
                return f"not tried: {rows.source} has no column '{missing[0]}'; name data with --data", []
            samples = made_up(rows, built.columns[0] if built.columns else None)
            report = try_reward(built, extension.name, samples, declares=True)
    except OptionsError as error:
        return f"not tried: {error.problems[0].text}; use {command} --option", []
    except (SpecError, EnvironmentFault) as error:
        return f"not tried: {error}", []
    except GpoError as error:
        return "cannot be built", [str(error)]
    return "sound", report.faults
