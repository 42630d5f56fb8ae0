"""Answers to a key that a run spec does not know."""

from difflib import get_close_matches

from gpocli.spec.algorithms import algorithms
from gpocli.spec.fields import homes, wanted_at
from gpocli.spec.homes import OTHER_NAMES, TRL_HOMES
from gpocli.spec.layer import Key, dotted
from gpocli.spec.run_spec import RunSpec


def unknown_key(key: Key, algorithm: str) -> str:
    """Say what to write in place of the unknown `key`, given the type of the algorithm."""
    name = str(key[-1])
    above, level = wanted_at(key[:-1], algorithm)
    names = list(level.section.model_fields) if level.section else []
    if above == ("algorithm",) and (owners := _owners(name)):
        return _of_another_algorithm(name, owners, algorithm)
    if "options" in names:
        return _of_an_extension(name, names, above)
    if home := TRL_HOMES.get(name) or OTHER_NAMES.get(name):
        return f"unknown key; write {_reachable(home, algorithm)}"
    if elsewhere := homes(name):
        return f"unknown key; write {' or '.join(elsewhere)}"
    if near := get_close_matches(name, names, n=1, cutoff=0.65):
        return f"unknown key; write {dotted((*above, near[0]))}"
    if near := get_close_matches(name, _all_names(), n=1, cutoff=0.75):
        home = TRL_HOMES.get(near[0]) or OTHER_NAMES.get(near[0]) or " or ".join(homes(near[0]))
        return f"unknown key; write {_reachable(home, algorithm)}"
    return f"unknown key; write one of {', '.join(names)}"


def meant_by(key: Key, algorithm: str) -> list[Key]:
    """The keys that the unknown `key` may stand for, so that their values are in doubt."""
    name = str(key[-1])
    above, level = wanted_at(key[:-1], algorithm)
    names = list(level.section.model_fields) if level.section else []
    if exact := _known_homes(name):
        return exact
    if near := get_close_matches(name, names, n=1, cutoff=0.65):
        return [(*above, near[0])]
    if near := get_close_matches(name, _all_names(), n=1, cutoff=0.75):
        return _known_homes(near[0])
    return [above] if above else []


def _known_homes(name: str) -> list[Key]:
    home = TRL_HOMES.get(name) or OTHER_NAMES.get(name)
    return [tuple(path.split(".")) for path in ([home] if home else homes(name))]


def _of_an_extension(name: str, names: list[str], above: Key) -> str:
    if near := get_close_matches(name, names, n=1, cutoff=0.65):
        return f"unknown key; write {dotted((*above, near[0]))}"
    return f"unknown key; options go one level below: write {dotted((*above, 'options', name))}"


def _owners(name: str) -> list[str]:
    return [owner for owner, one in algorithms().items() if name in one.section.model_fields]


def _of_another_algorithm(name: str, owners: list[str], algorithm: str) -> str:
    return f"{algorithm} has no {name}, but {_and(owners)}; remove it, or write algorithm.type: {owners[0]}"


def _and(owners: list[str]) -> str:
    *most, last = owners
    return f"{', '.join(most)} and {last} have" if most else f"{last} has"


def _reachable(home: str, algorithm: str) -> str:
    """Add what else must change where the algorithm at hand lacks the setting."""
    section, _, name = home.partition(".")
    if section == "algorithm" and (owners := _owners(name)) and algorithm not in owners:
        return f"{home}, which {_and(owners)} and {algorithm} has not"
    return home


def _all_names() -> list[str]:
    names = dict.fromkeys([*TRL_HOMES, *OTHER_NAMES])
    for section_name in RunSpec.model_fields:
        for algorithm in algorithms():
            _, level = wanted_at((section_name,), algorithm)
            if level.section:
                names.update(dict.fromkeys(level.section.model_fields))
    return [name for name in names if name in TRL_HOMES or name in OTHER_NAMES or homes(name)]
