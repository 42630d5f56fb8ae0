"""Installed packages against the ranges that gpo states and the versions that its tests ran with, and plugins."""

import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires, version

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from gpocli import __version__
from gpocli.doctor.finding import Finding
from gpocli.errors import GpoError
from gpocli.plugin_manager import PluginHost

NEWEST_TESTED = {
    "torch": "2.13.0",
    "transformers": "5.24.0",
    "trl": "1.16.0",
    "accelerate": "1.15.0",
    "datasets": "5.2.0",
    "peft": "0.21.2",
}
"""As constraints.txt pins them; a test holds the two in step."""
OPTIONAL = {
    "peft": ("peft", "model.lora"),
    "bitsandbytes": ("quantization", "model.quantization"),
    "vllm": ("vllm", "sampling.engine: vllm"),
}
"""Packages that only some runs need: the extra that brings them, and the setting that needs them."""


def check_versions() -> Iterator[Finding]:
    """Python, gpo, and the packages that training rests on."""
    yield check_python(platform.python_version(), metadata("gpocli")["Requires-Python"])
    yield Finding("gpo", "ok", f"gpo {__version__}")
    ranges = stated_ranges()
    for package in ["torch", "transformers", "trl", "accelerate", "datasets", *OPTIONAL]:
        yield check_package(package, _installed(package), ranges.get(package, SpecifierSet()))


def check_python(installed: str, wanted: str) -> Finding:
    """Whether Python is in the range that gpo asks for."""
    if SpecifierSet(wanted).contains(installed, prereleases=True):
        return Finding("python", "ok", f"python {installed}")
    return Finding(
        "python", "problem", f"python {installed}, but gpo needs {wanted}", "install gpo under another Python"
    )


def check_package(package: str, installed: str | None, wanted: SpecifierSet) -> Finding:
    """Whether a package is there (`installed` is its version), in the range, and not newer than what was tested."""
    if installed is None:
        if package not in OPTIONAL:
            return Finding(package, "problem", f"{package} is not installed", _install(package, wanted))
        extra, setting = OPTIONAL[package]
        return Finding(
            package, "ok", f"{package} is not installed; only {setting} needs it: pip install 'gpocli[{extra}]'"
        )
    if not wanted.contains(installed, prereleases=True):
        text = f"{package} {installed}, but gpo needs {_ordered(wanted)}"
        return Finding(package, "problem", text, _install(package, wanted))
    newest = NEWEST_TESTED.get(package)
    if newest is not None and Version(installed).release > Version(newest).release:
        text = f"{package} {installed} is newer than {newest}, the newest tested"
        return Finding(package, "warn", text, f"if something fails: pip install '{package}=={newest}'")
    return Finding(package, "ok", f"{package} {installed}")


def stated_ranges() -> dict[str, SpecifierSet]:
    """What gpo, its extras and TRL ask of other packages, by name."""
    ranges: dict[str, SpecifierSet] = {}
    for distribution in ("gpocli", "trl"):
        try:
            lines = requires(distribution) or []
        except PackageNotFoundError:
            continue
        for line in lines:
            requirement = Requirement(line)
            if requirement.marker is None or (distribution == "gpocli" and "extra" in str(requirement.marker)):
                known = ranges.get(requirement.name, SpecifierSet())
                ranges[requirement.name] = known & requirement.specifier
    return ranges


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _install(package: str, wanted: SpecifierSet) -> str:
    return f"pip install '{package}{_ordered(wanted)}'"


def _ordered(wanted: SpecifierSet) -> str:
    return ",".join(sorted(map(str, wanted), key=lambda part: (not part.startswith(">"), part)))


def check_plugins(load: Callable[[], PluginHost]) -> Iterator[Finding]:
    """What the plugins that `load` finds give, and which are broken or claim each other's names."""
    try:
        host = load()
    except GpoError as error:
        yield Finding("plugins", "problem", str(error), "see GPO_PLUGINS and GPO_PLUGINS_STRICT, or use --no-plugins")
        return
    given = [plugin.given for plugin in host.plugins]
    filters, rewards = sum(len(one.filters) for one in given), sum(len(one.rewards) for one in given)
    count = f"{len(given)} plugin{'' if len(given) == 1 else 's'}"
    algorithms = sum(len(one.algorithms) for one in given)
    yield Finding("plugins", "ok", f"{count} with {filters} filters, {rewards} rewards and {algorithms} algorithms")
    for broken in host.broken:
        package = broken.distribution or broken.name
        yield Finding("plugins", "warn", str(broken), f"mend or update it, or: pip uninstall {package}")
    for plugin in host.plugins:
        for clash in host.clashes_of(plugin):
            yield Finding("plugins", "warn", f"plugin '{plugin.name}': {clash}", "uninstall all but one of them")
    for line in host.renamed:
        yield Finding("plugins", "warn", line, "or uninstall it")
