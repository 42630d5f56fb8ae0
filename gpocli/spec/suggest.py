"""Answers to a key that a run spec does not know."""

from difflib import get_close_matches

from gpocli.spec.algorithms import algorithms
from gpocli.spec.fields import paths_called, setting_names, wanted_at
from gpocli.spec.layer import Key, dotted


def unknown_key(key: Key, algorithm: str) -> str:
    """Say what to write in place of the unknown `key`, given the type of the algorithm."""
    name = str(key[-1])
    above, level = wanted_at(key[:-1], algorithm)
    names = list(level.section.model_fields) if level.section else []
    if above == ("algorithm",) and (owners := owners_of(name)):
        return f"{lack(algorithm, name)}; remove it, or write algorithm.type: {owners[0]}"
    if "options" in names:
        return _of_an_extension(name, names, above)
    if paths := paths_called(name):
        return f"unknown key; write {_reachable(paths, algorithm)}"
    if near := get_close_matches(name, names, n=1, cutoff=0.65):
        return f"unknown key; write {dotted((*above, near[0]))}"
    # nearer than among the few names of its own section, for among all of them something is always a little alike
    if near := get_close_matches(name, setting_names(), n=1, cutoff=0.75):
        return f"unknown key; write {_reachable(paths_called(near[0]), algorithm)}"
    return f"unknown key; write one of {', '.join(names)}"


def meant_by(key: Key, algorithm: str) -> list[Key]:
    """The keys that the unknown `key` may stand for, so that their values are in doubt."""
    name = str(key[-1])
    above, level = wanted_at(key[:-1], algorithm)
    names = list(level.section.model_fields) if level.section else []
    if paths := paths_called(name):
        return [tuple(path.split(".")) for path in paths]
    if near := get_close_matches(name, names, n=1, cutoff=0.65):
        return [(*above, near[0])]
    if near := get_close_matches(name, setting_names(), n=1, cutoff=0.75):
        return [tuple(path.split(".")) for path in paths_called(near[0])]
    return [above] if above else []


def _of_an_extension(name: str, names: list[str], above: Key) -> str:
    if near := get_close_matches(name, names, n=1, cutoff=0.65):
        return f"unknown key; write {dotted((*above, near[0]))}"
    return f"unknown key; options go one level below: write {dotted((*above, 'options', name))}"


def owners_of(name: str) -> list[str]:
    """The algorithms that have the setting `name`."""
    return [owner for owner, one in algorithms().items() if name in one.section.model_fields]


def lack(algorithm: str, name: str) -> str:
    """Say that `algorithm` has no setting `name`, and which have."""
    return f"{algorithm} has no {name}, but {_and(owners_of(name))}"


def _and(owners: list[str]) -> str:
    *most, last = owners
    return f"{', '.join(most)} and {last} have" if most else f"{last} has"


def _reachable(paths: list[str], algorithm: str) -> str:
    """The paths; what else must change where the algorithm at hand lacks the only one."""
    section, _, name = paths[0].partition(".")
    if section == "algorithm" and (owners := owners_of(name)) and algorithm not in owners:
        return f"{paths[0]}, which {_and(owners)} and {algorithm} has not"
    return " or ".join(paths)
