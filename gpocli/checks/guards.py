"""The guards of a run: the built-in ones, unless they are switched off, and those that the spec names besides."""

from collections.abc import Iterator
from typing import Any, get_args

from gpocli.checks.findings import Findings
from gpocli.contracts.guards import NamedGuard, told_by_run
from gpocli.contracts.nearest import did_you_mean
from gpocli.contracts.options import OptionsError
from gpocli.plugin_manager import PluginHost
from gpocli.settings.guards import GuardAction

_ACTIONS = get_args(GuardAction)


def check_guards(findings: Findings, host: PluginHost) -> list[NamedGuard]:
    """Build the guards; those that cannot be had are left out."""
    if not findings.are_sound("guards"):
        return []
    built: list[NamedGuard] = []
    for name, setting in _settings(findings, host):
        path = f"guards.{name}"
        with findings.at(path):
            host.find("guard", name)  # one that is switched off has to be there, too
            if setting == "off":
                continue
            options = dict(setting) if isinstance(setting, dict) else {"action": setting}
            action = options.pop("action", None)
            filters = [one.name for one in findings.spec.algorithm.chain]
            options = told_by_run(host.find("guard", name).extension.options, filters) | options
            if action not in (None, *_ACTIONS):
                is_text = isinstance(action, str)
                fix = did_you_mean(action, _ACTIONS) if is_text else f"write off, {', '.join(_ACTIONS)}, or options"
                findings.add(f"{path}.action" if isinstance(setting, dict) else path, f"{action!r} is no action; {fix}")
                continue
            try:
                built.append(host.build_guard(name, options, action))
            except OptionsError as error:
                for problem in error.problems:
                    findings.add(".".join([path, *map(str, problem.path)]), problem.text)
    return built


def _settings(findings: Findings, host: PluginHost) -> Iterator[tuple[str, Any]]:
    """What the spec says of each guard, the built-in ones first, for the first that gives an alarm is heard."""
    given = findings.spec.guards
    builtin = [name for name, one in host.guards.items() if one.plugin == "builtin"]
    yield from ((name, given.get(name, {})) for name in builtin)
    yield from ((name, setting) for name, setting in given.items() if name not in builtin)
