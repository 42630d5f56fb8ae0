"""The health of the plugins."""

from collections.abc import Callable, Iterator

from gpocli.doctor.finding import Finding
from gpocli.errors import GpoError
from gpocli.plugin_manager import PluginHost


def check_plugins(load: Callable[[], PluginHost]) -> Iterator[Finding]:
    """What the plugins that `load` finds give, and which are broken or claim each other's names."""
    try:
        host = load()
    except GpoError as error:
        yield Finding("plugins", "problem", str(error), "see GPO_PLUGINS and GPO_PLUGINS_STRICT, or use --no-plugins")
        return
    filters = sum(len(plugin.filters) for plugin in host.plugins)
    rewards = sum(len(plugin.rewards) for plugin in host.plugins)
    count = f"{len(host.plugins)} plugin{'' if len(host.plugins) == 1 else 's'}"
    yield Finding("plugins", "ok", f"{count} with {filters} filters and {rewards} rewards")
    for broken in host.broken:
        package = broken.distribution or broken.name
        yield Finding("plugins", "warn", str(broken), f"mend or update it, or: pip uninstall {package}")
    for plugin in host.plugins:
        for clash in plugin.clashes:
            yield Finding("plugins", "warn", f"plugin '{plugin.name}': {clash}", "uninstall all but one of them")
