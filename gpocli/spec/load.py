"""Loading a run spec from files, `--set` options and flags, with every fault shown at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.spec.fault import Fault, all_at_once
from gpocli.spec.fields import ALGORITHMS
from gpocli.spec.layer import Flag, Key, Layer, Place, dotted
from gpocli.spec.merge import AssignError, Merged, for_algorithm
from gpocli.spec.read_file import read_layer
from gpocli.spec.run_spec import RunSpec
from gpocli.spec.validate import validate
from gpocli.spec.yaml_text import TextError, read_yaml


@dataclass(frozen=True, slots=True)
class LoadedSpec:
    """A sound run spec; `origins` maps each of its dotted paths to where its value came from."""

    spec: RunSpec
    origins: dict[str, str]

    def place_of(self, path: str) -> str | None:
        """Where the user wrote the value at `path`, or something beside or above it; None if nowhere near.

        For faults that only show later, such as those of a filter's options.
        """
        while path:
            found = [o for p, o in self.origins.items() if p == path or p.startswith(f"{path}.")]
            if written := [origin for origin in found if origin != "default"]:
                return written[0]
            path = path.rpartition(".")[0]
        return None


@dataclass(frozen=True, slots=True)
class _Assignment:
    """A value for one dotted path."""

    path: str
    value: Any
    place: Place


def load_spec(
    files: Sequence[Path],
    overrides: Sequence[str] = (),
    flags: Mapping[str, Any] | None = None,
    base: Sequence[Layer] = (),
) -> LoadedSpec:
    """Merge `base`, then `files`, then `overrides` (`a.b=c`), then `flags` (dotted path to value or Flag).

    A flag whose value is None was not given. Raises SpecError with one line for each fault.
    """
    faults: list[Fault] = []
    layers = [layer for path in files if (layer := read_layer(Path(path), faults)) is not None]
    assignments: list[_Assignment] = []
    for text in overrides:
        try:
            assignments.append(_parse_override(text))
        except TextError as error:
            faults.append(Fault(error.place, "", str(error)))
    assignments += _from_flags(flags or {})

    merged = _merge(layers, assignments, base, faults)
    sources = [place.source for layer in base for place in layer.places.values()]
    sources += [*map(str, files), *(f"--set {text}" for text in overrides)]
    sources += [assignment.place.source for assignment in assignments]
    spec = None
    if len(layers) == len(files):  # what a broken file would have said must not be missed
        spec, found = validate(merged)
        faults += found
    if spec is None or faults:
        raise all_at_once(faults, sources)
    return LoadedSpec(spec, _origins(spec, merged))


def _parse_override(text: str) -> _Assignment:
    place = Place(f"--set {text}")
    path, equals, value = text.partition("=")
    if not equals:
        raise TextError(place, f"has no value; write --set {text}=VALUE")
    try:
        read = read_yaml(value, place.source)
    except TextError as error:
        raise TextError(place, str(error)) from error
    if read.faults:
        raise TextError(place, read.faults[0].text)
    return _Assignment(path.strip(), read.value, place)


def _from_flags(flags: Mapping[str, Any]) -> Iterator[_Assignment]:
    for path, given in flags.items():
        flag = given if isinstance(given, Flag) else Flag(path, given)
        if flag.value is not None:
            yield _Assignment(path, flag.value, Place(flag.name))


def _merge(
    layers: Sequence[Layer], assignments: Sequence[_Assignment], base: Sequence[Layer], faults: list[Fault]
) -> Merged:
    algorithm = _chosen_algorithm([*base, *layers], assignments)
    merged = Merged()
    for layer in base:
        merged.overlay(for_algorithm(layer, algorithm) if algorithm in ALGORITHMS else layer)
    for layer in layers:
        merged.overlay(layer)
    for assignment in assignments:
        try:
            merged.assign(assignment.path, assignment.value, assignment.place)
        except AssignError as error:
            faults.append(Fault(assignment.place, "", str(error)))
    return merged


def _chosen_algorithm(layers: Sequence[Layer], assignments: Sequence[_Assignment]) -> str:
    chosen: Any = "gfpo"
    for layer in layers:
        section = layer.data.get("algorithm")
        if isinstance(section, Mapping):
            chosen = section.get("type", chosen)
    for assignment in assignments:
        if assignment.path == "algorithm.type":
            chosen = assignment.value
    return str(chosen)


def _origins(spec: RunSpec, merged: Merged) -> dict[str, str]:
    return {dotted(key): _origin(key, merged) for key in _leaves(spec.model_dump(), ())}


def _origin(key: Key, merged: Merged) -> str:
    """The place of the value itself, or of the list or option that brought it; else the defaults."""
    value: Any = merged.data
    for i, part in enumerate(key):
        if isinstance(value, str) and key[i:] == ("name",):
            break
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return "default"
    place = merged.place_of(key)
    return str(place) if place else "default"


def _leaves(value: Any, key: Key) -> Iterator[Key]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _leaves(item, (*key, name))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for i, item in enumerate(value):
            yield from _leaves(item, (*key, i))
    else:
        yield key
