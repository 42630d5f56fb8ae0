"""Laying the parts of a run spec over each other, and keeping track of where each value came from."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from gpocli.spec.algorithms import DEFAULT_ALGORITHM, algorithm, algorithms
from gpocli.spec.layer import Key, Layer, Place
from gpocli.spec.run_spec import RunSpec


class AssignError(Exception):
    """A dotted path of `--set` or of a flag that leads nowhere; says what to write."""


@dataclass
class Merged:
    """The values of all layers so far; a later one wins. `places` has the place of each."""

    data: dict[str, Any] = field(default_factory=dict)
    places: dict[Key, Place] = field(default_factory=dict)
    ages: dict[str, int] = field(default_factory=dict)
    """The number of the layer that each source of places belongs to."""

    def overlay(self, layer: Layer) -> None:
        """Lay `layer` on top: mappings are merged, everything else, lists too, is replaced whole."""
        self.ages.update(dict.fromkeys({layer.name, *(p.source for p in layer.places.values())}, len(self.ages)))
        self._length_by_the_last_word(layer.data)
        self._merge(self.data, layer.data, (), layer)

    def assign(self, path: str, value: Any, place: Place) -> None:
        """Set the value at a dotted `path`, in which a number is an index into a list."""
        names = path.split(".")
        if not all(names):
            raise AssignError("the path has an empty part; write it as algorithm.keep")
        for at in range(1, len(names)):
            items = self._list_at(names[:at])
            if items is not None and names[at].isdigit():
                self._assign_in_list(names, at, deepcopy(items), value, place)
                return
        self.overlay(Layer(str(place), _nested(names, value), _Everywhere(place)))

    def _assign_in_list(self, names: list[str], at: int, items: list[Any], value: Any, place: Place) -> None:
        """Set the value at `names` in `items`, a copy of the list that the first `at` names lead to."""
        _assign_in(items, names[at:], value, ".".join(names))
        above: Key = tuple(names[:at])
        changed: Key = (*above, int(names[at]), *names[at + 1 :])
        others = {k: p for k, p in self.places.items() if k[:at] == above and k[: len(changed)] != changed}
        self.overlay(Layer(str(place), _nested(names[:at], items), _Everywhere(place)))
        self.places |= {**others, changed: place}

    def place_of(self, key: Key) -> Place | None:
        """The place of the value at `key`, or of the nearest one above it."""
        for length in range(len(key), -1, -1):
            if place := self.places.get(key[:length]):
                return place
        return None

    def newest(self, keys: list[Key]) -> Key | None:
        """Which of `keys` was written last: the one of the last layer, there the first; None if none was."""
        written = [key for key in keys if key in self.places]
        return max(written, key=lambda key: self.ages.get(self.places[key].source, -1), default=None)

    def algorithm(self) -> str:
        """The type of the algorithm, or the default one where none is given or it is unknown."""
        section = self.data.get("algorithm")
        kind = section.get("type") if isinstance(section, dict) else None
        return kind if isinstance(kind, str) and kind in algorithms() else DEFAULT_ALGORITHM

    def _merge(self, into: dict[str, Any], new: Mapping[str, Any], above: Key, layer: Layer) -> None:
        own = layer.places.get(above)
        if own is not None:
            self.places.setdefault(above, own)
        for name, value in new.items():
            key = (*above, name)
            if not (isinstance(value, Mapping) and isinstance(into.get(name), dict)):
                # what is replaced goes with the places of all that stood below it
                self.places = {k: p for k, p in self.places.items() if k[: len(key)] != key}
                self.places |= {k: p for k, p in layer.places.items() if k[: len(key)] == key}
                self.places.setdefault(key, layer.places.get(key) or Place(layer.name))
                # a layer is laid more than once, so a later assignment must not change it
                into[name] = {} if isinstance(value, Mapping) else deepcopy(value)
            if isinstance(value, Mapping):
                self._merge(into[name], value, key, layer)

    def _length_by_the_last_word(self, new: Mapping[str, Any]) -> None:
        """Forget an earlier layer's `run.steps` where this one has `run.epochs`, and the other way round."""
        run, before = new.get("run"), self.data.get("run")
        if isinstance(run, Mapping) and isinstance(before, dict):
            for name, other in (("steps", "epochs"), ("epochs", "steps")):
                if run.get(name) is not None and run.get(other) is None:
                    before.pop(other, None)
                    self.places.pop(("run", other), None)

    def _list_at(self, names: list[str]) -> list[Any] | None:
        """The list at `names`: what the layers say, else the default."""
        for data in (self.data, _defaults(self.algorithm())):
            value: Any = data
            for name in names:
                value = value.get(name) if isinstance(value, dict) else None
            if value is not None:
                return value if isinstance(value, list) else None
        return None


class _Everywhere(dict[Key, Place]):
    """One place for whatever is asked: an assignment has one, whatever its value holds."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place

    def get(self, key: Key, default: Any = None) -> Place:
        return self.place


def _nested(names: list[str], value: Any) -> dict[str, Any]:
    for name in reversed(names):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def _assign_in(items: list[Any], names: list[str], value: Any, path: str) -> None:
    here: Any = items
    for i, name in enumerate(names):
        last = i + 1 == len(names)
        index: Any = name
        if isinstance(here, list):
            index = _index(here, name, path.removesuffix(".".join(names[i:])))
            if index == len(here):
                here.append(None)
            if not last and isinstance(here[index], str):
                here[index] = {"name": here[index]}
        if last:
            here[index] = value
        elif not isinstance(here[index] if isinstance(here, list) else here.get(index), dict | list):
            here[index] = {}
        here = here[index]


def _index(items: list[Any], name: str, before: str) -> int:
    if not name.isdigit():
        raise AssignError(f"'{name}' is not a position in a list; write {before}0 for the first entry")
    if int(name) > len(items):
        entries = "1 entry" if len(items) == 1 else f"{len(items)} entries"
        raise AssignError(f"the list has {entries}; write {before}{len(items)} to add one")
    return int(name)


def _defaults(name: str) -> dict[str, Any]:
    return RunSpec().model_dump() | {"algorithm": algorithm(name).section(type=name).model_dump()}


def for_algorithm(layer: Layer, chosen: str) -> Layer:
    """Fit a base layer to the algorithm that the user chose.

    Its `algorithm` section is left out where it is about another type; without a type, the settings are
    left out that the chosen one has not.
    """
    section = layer.data.get("algorithm")
    if not isinstance(section, Mapping):
        return layer
    own = section.get("type", chosen)
    known = algorithms()[chosen].section.model_fields
    fitted = {name: value for name, value in section.items() if own == chosen and name in known}
    data = {**layer.data, "algorithm": fitted}
    if not fitted:
        del data["algorithm"]
    return Layer(layer.name, data, layer.places)
