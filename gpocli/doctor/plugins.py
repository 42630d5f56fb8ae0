"""The health of the plugins."""

from collections.abc import Callable, Iterator

from gpocli.contracts.plugin import RECORDS
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
    given = [len([name for one in host.plugins for name in one.given.names(kind)]) for kind in RECORDS]
    count = f"{len(host.plugins)} plugin{'' if len(host.plugins) == 1 else 's'}"
    yield Finding("plugins", "ok", f"{count} with {given[0]} filters, {given[1]} rewards and {given[2]} algorithms")
    for broken in host.broken:
        package = broken.distribution or broken.name
        yield Finding("plugins", "warn", str(broken), f"mend or update it, or: pip uninstall {package}")
    for plugin in host.plugins:
        for clash in host.clashes_of(plugin):
            yield Finding("plugins", "warn", f"plugin '{plugin.name}': {clash}", "uninstall all but one of them")
