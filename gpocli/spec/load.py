"""Loading a run spec from its layers, with every fault shown at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.spec.algorithms import DEFAULT_ALGORITHM, algorithms
from gpocli.spec.environment import environment_texts
from gpocli.spec.fault import Fault, as_error, in_order
from gpocli.spec.layer import Assignment, Key, Layer, Place, dotted
from gpocli.spec.merge import AssignError, Merged, for_algorithm
from gpocli.spec.read_file import read_layer
from gpocli.spec.run_spec import RunSpec
from gpocli.spec.validate import touches, validate
from gpocli.spec.yaml_text import TextError, read_yaml

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Draft:
    """What layers came to, faults and all.

    `spec` has defaults in place of what is wrong; it is None where a file could not be read or nothing is sound.
    `places` maps the dotted paths of written values to where they stand, `sources` are in the order of layers.
    """

    spec: RunSpec | None
    places: Mapping[str, Place]
    faults: tuple[Fault, ...] = ()
    doubtful: tuple[Key, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def origins(self) -> dict[str, str]:
        """Where the value at each dotted path of the spec came from."""
        return {path: origin for path, _, origin in self.entries()}

    def entries(self) -> Iterator[tuple[str, Any, str]]:
        """The dotted path, the value and the origin of each setting."""
        for key, value in () if self.spec is None else _leaves(self.spec.model_dump(), ()):
            path = dotted(key)
            yield path, value, str(self.places.get(path, DEFAULT))

    def place_of(self, path: str) -> Place | None:
        """Where the user wrote the value at `path`, or something beside or above it; None if nowhere near.

        For faults that only show later, such as those of a filter's options.
        """
        while path:
            for written, place in self.places.items():
                if written == path or written.startswith(f"{path}."):
                    return place
            path = path.rpartition(".")[0]
        return None

    def is_sound(self, *paths: str) -> bool:
        """Whether the values at dotted `paths` are what the user meant, as far as is known."""
        return self.spec is not None and not touches([tuple(path.split(".")) for path in paths], self.doubtful)

    def loaded(self) -> "LoadedSpec":
        """The sound spec. Raises `SpecError` with one line for each fault."""
        if self.spec is None or self.faults:
            raise as_error(self.faults)
        return LoadedSpec(self.spec, self.places, (), (), self.sources)


@dataclass(frozen=True, slots=True)
class LoadedSpec(Draft):
    """A draft without faults."""

    spec: RunSpec


def load_spec(
    files: Sequence[Path],
    overrides: Sequence[str] = (),
    flags: Sequence[Assignment] = (),
    base: Sequence[Layer] = (),
    environment: Mapping[str, str] | None = None,
) -> LoadedSpec:
    """Merge the layers of `draft_spec`. Raises `SpecError` with one line for each fault."""
    return draft_spec(files, overrides, flags, base, environment).loaded()


def draft_spec(
    files: Sequence[Path],
    overrides: Sequence[str] = (),
    flags: Sequence[Assignment] = (),
    base: Sequence[Layer] = (),
    environment: Mapping[str, str] | None = None,
) -> Draft:
    """Merge `base`, `files`, variables of `environment` (see `spec.environment`), `overrides` (`a.b=c`) and
    `flags`, later ones on top.
    """
    faults: list[Fault] = []
    layers = [layer for path in files if (layer := read_layer(Path(path), faults)) is not None]
    assignments: list[Assignment] = []
    variables = list(environment_texts(environment or {}))
    given = [(name, f"{path}={value}") for name, path, value in variables]
    given += [(f"--set {text}", text) for text in overrides]
    for source, text in given:
        try:
            assignments.append(_parse_assignment(text, Place(source)))
        except TextError as error:
            faults.append(Fault(error.place, "", str(error)))
    assignments += flags

    merged = _merge(layers, assignments, base, faults)
    sources = [place.source for layer in base for place in layer.places.values()]
    sources += [*map(str, files), *(source for source, _ in given)]
    sources += [assignment.place.source for assignment in assignments]
    if len(layers) < len(files):  # what a broken file would have said must not be missed
        return Draft(None, {}, tuple(in_order(faults, sources)), (), tuple(sources))
    found = validate(merged)
    places = {} if found.spec is None else _places(found.spec, merged)
    ordered = tuple(in_order([*faults, *found.faults], sources))
    doubtful = [*found.doubtful, *((tuple(f.key.split("."))) for f in faults if f.key)]
    return Draft(found.spec, places, ordered, tuple(doubtful), tuple(sources))


def _parse_assignment(text: str, place: Place) -> Assignment:
    path, equals, value = text.partition("=")
    if not equals:
        raise TextError(place, f"has no value; write {place.source}=VALUE")
    try:
        read = read_yaml(value, place.source)
    except TextError as error:
        raise TextError(place, str(error)) from error  # a column within one value would say nothing
    if read.faults:
        raise TextError(place, read.faults[0].text)
    return Assignment(path.strip(), read.value, place)


def _merge(
    layers: Sequence[Layer], assignments: Sequence[Assignment], base: Sequence[Layer], faults: list[Fault]
) -> Merged:
    # before anything is merged: what a base layer says of an algorithm counts only for the one that is chosen on top
    algorithm = _chosen_algorithm([*base, *layers], assignments)
    merged = Merged()
    for layer in base:
        merged.overlay(for_algorithm(layer, algorithm) if algorithm in algorithms() else layer)
    for layer in layers:
        merged.overlay(layer)
    for assignment in assignments:
        try:
            merged.assign(assignment.path, assignment.value, assignment.place)
        except AssignError as error:
            faults.append(Fault(assignment.place, "", str(error)))
    return merged


def _chosen_algorithm(layers: Sequence[Layer], assignments: Sequence[Assignment]) -> str:
    chosen: Any = DEFAULT_ALGORITHM
    for layer in layers:
        section = layer.data.get("algorithm")
        if isinstance(section, Mapping):
            chosen = section.get("type", chosen)
    for assignment in assignments:
        if assignment.path == "algorithm.type":
            chosen = assignment.value
    return str(chosen)


def _places(spec: RunSpec, merged: Merged) -> dict[str, Place]:
    found = {dotted(key): _place(key, merged) for key, _ in _leaves(spec.model_dump(), ())}
    return {path: place for path, place in found.items() if place is not None}


def _place(key: Key, merged: Merged) -> Place | None:
    """The place of the value itself, or of the list or option that brought it; None for a default."""
    value: Any = merged.data
    for i, part in enumerate(key):
        if isinstance(value, str) and key[i:] == ("name",):
            break  # a bare name, which stands for a mapping
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return merged.place_of(key)


def _leaves(value: Any, key: Key) -> Iterator[tuple[Key, Any]]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _leaves(item, (*key, name))
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        # several rewards or filters; a list of words is one value
        for i, item in enumerate(value):
            yield from _leaves(item, (*key, i))
    else:
        yield key, value
