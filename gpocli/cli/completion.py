"""What the shell offers behind an option: names of installed filters, rewards and others. Never fails, never prints."""

from collections.abc import Callable, Iterable
from typing import Any


def complete_filter(incomplete: str) -> list[tuple[str, str]]:
    """Filters whose name begins so, each with its summary."""
    return _named(lambda host: host.filters, incomplete)


def complete_reward(incomplete: str) -> list[tuple[str, str]]:
    """Rewards whose name begins so, each with its summary."""
    return _named(lambda host: host.rewards, incomplete)


def complete_guard(incomplete: str) -> list[tuple[str, str]]:
    """Guards whose name begins so, each with its summary."""
    return _named(lambda host: host.guards, incomplete)


def complete_algorithm(incomplete: str) -> list[tuple[str, str]]:
    """Algorithms whose name begins so, each with its summary."""
    return _named(lambda host: host.algorithms, incomplete)


def complete_preset(incomplete: str) -> list[str]:
    """Presets whose name begins so."""
    from gpocli.presets import preset_names

    return _beginning(preset_names(), incomplete)


def complete_explained(incomplete: str) -> list[tuple[str, str]]:
    """Names of the glossary that begin so, each with its meaning."""
    from gpocli.glossary import entries

    return [(name, entries()[name].meaning) for name in _beginning(entries(), incomplete)]


def complete_key(incomplete: str) -> list[str]:
    """Dotted paths of settings that begin so, each with its equals sign."""
    from gpocli.spec.algorithms import algorithms
    from gpocli.spec.fields import settings

    found = {one.path for name in algorithms() for one in settings(name)}
    return _beginning(sorted(f"{path}=" for path in found), incomplete)


def complete_plugin(incomplete: str) -> list[str]:
    """Plugins whose name begins so, broken ones too."""
    host = _host()
    names = [] if host is None else [plugin.name for plugin in [*host.plugins, *host.broken]]
    return _beginning(names, incomplete)


def _named(which: Callable[[Any], dict[str, Any]], incomplete: str) -> list[tuple[str, str]]:
    host = _host()
    found = {} if host is None else which(host)
    return [(name, found[name].extension.summary) for name in _beginning(found, incomplete)]


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _host() -> Any:
    """The plugins; None where they cannot be had. What they print while they load stays out of the shell."""
    import io
    from contextlib import redirect_stderr, redirect_stdout

    from gpocli.errors import GpoError
    from gpocli.plugin_manager import load_plugins

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            return load_plugins()
        except GpoError:
            return None
