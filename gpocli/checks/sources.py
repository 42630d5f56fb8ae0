"""What a run is made of besides its spec: the files of its code and data."""

import hashlib
from pathlib import Path

from gpocli.contracts.plugin import Kind
from gpocli.data import Rows
from gpocli.plugin_manager import PluginHost
from gpocli.spec import RunSpec


def sources_of(spec: RunSpec, host: PluginHost, *sources: Rows | None) -> dict[str, str]:
    """The SHA-256 of each file that gives an algorithm, filter, reward or rows, by what messages call it.

    Left out are what gpo brings itself, what a file imports, and rows that are read while training.
    """
    digests = {}
    for kind, name in _named(spec):
        found = host.find(kind, name)
        if found.plugin != "builtin" and found.file is not None and Path(found.file).is_file():
            digests[f"{kind} '{name}'"] = hashlib.sha256(Path(found.file).read_bytes()).hexdigest()
    return digests | {f"data '{rows.source}'": rows.digest for rows in sources if rows is not None and rows.digest}


def plugins_of(spec: RunSpec, host: PluginHost) -> dict[str, str]:
    """The package and version of each algorithm, filter, reward and guard that a plugin gives."""
    named = [*_named(spec), *(("guard", name) for name in spec.guards)]
    found = {f"{kind} '{name}'": host.find(kind, name) for kind, name in named}
    return {
        name: f"{one.distribution} {one.version}"
        for name, one in found.items()
        if one.plugin != "builtin" and one.distribution is not None
    }


def _named(spec: RunSpec) -> list[tuple[Kind, str]]:
    """What a run trains with, by kind and name."""
    named: list[tuple[Kind, str]] = [("algorithm", spec.algorithm.type)]
    named += [("filter", one.name) for one in spec.algorithm.chain]
    named += [("reward", one.name) for one in spec.rewards]
    return named
