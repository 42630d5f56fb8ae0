"""Finding the section or field that a path of a run spec leads to, and saying what may stand there."""

from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from gpocli.settings.section import Section
from gpocli.settings.setting import Declared, declared
from gpocli.spec.algorithms import algorithm as algorithm_of
from gpocli.spec.algorithms import algorithms
from gpocli.spec.layer import Key
from gpocli.spec.run_spec import RunSpec
from gpocli.spec.wording import number


@dataclass(frozen=True, slots=True)
class Wanted:
    """What may stand at a path: one of `types`, within `bounds`; `types` may hold sections and literals."""

    types: tuple[Any, ...]
    bounds: tuple[Any, ...] = ()

    @property
    def nullable(self) -> bool:
        return NoneType in self.types

    @property
    def section(self) -> type[Section] | None:
        return next((t for t in self.types if isinstance(t, type) and issubclass(t, Section)), None)

    @property
    def choices(self) -> tuple[Any, ...]:
        return tuple(c for t in self.types if get_origin(t) is Literal for c in get_args(t))

    @property
    def item(self) -> Any:
        """The type of an item, where a list or a mapping may stand."""
        return next((get_args(t)[-1] for t in self.types if get_origin(t) in (list, dict)), None)


def wanted_at(key: Key, algorithm: str) -> tuple[Key, Wanted]:
    """Follow `key`, which may hold the marks that Pydantic puts into locations, as far as it leads.

    Returns the clean path and what is wanted there; an unknown last name is left out of neither.
    """
    clean: Key = ()
    here = Wanted((RunSpec,))
    for part in key:
        if clean == ("algorithm",) and part in algorithms():
            continue  # the tag of the union of algorithms, which no user writes
        if here.section is not None and isinstance(part, str):
            field = here.section.model_fields.get(part)
            here = Wanted(()) if field is None else _of_field(part, field, algorithm)
        elif here.item is not None and (isinstance(part, int) or _holds_mapping(here)):
            here = Wanted(members(here.item))
        elif here.types and Any not in here.types:
            continue  # the mark of a union's member, such as "list[str]"
        clean = (*clean, part)
    return clean, here


def _holds_mapping(wanted: Wanted) -> bool:
    return any(get_origin(t) is dict for t in wanted.types)


def _of_field(name: str, field: FieldInfo, algorithm: str) -> Wanted:
    if name == "algorithm":
        return Wanted((algorithm_of(algorithm).section,))
    return Wanted(members(field.annotation), tuple(field.metadata))


def members(annotation: Any) -> tuple[Any, ...]:
    """The types that an annotation lets through."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,)


def phrase(wanted: Wanted) -> str:
    """Say what may stand there: `a whole number from 2 to 4096, or null`."""
    words = [_phrase(t, wanted.bounds) for t in wanted.types if t is not NoneType]
    words += ["null"] if wanted.nullable else []
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])}, or {words[-1]}"


def _phrase(kind: Any, bounds: tuple[Any, ...]) -> str:
    if get_origin(kind) is Literal:
        choices = [str(choice) for choice in get_args(kind)]
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    if get_origin(kind) is list:
        return "a list"
    if get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, Section)):
        return "a mapping"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    return f"{names.get(kind, 'a value')}{_range(bounds) if kind in (int, float) else ''}"


def _range(bounds: tuple[Any, ...]) -> str:
    limits: dict[str, str] = {}
    for bound in bounds:
        for name in ("ge", "gt", "le", "lt"):
            if isinstance(bound, annotated_types.BaseMetadata) and hasattr(bound, name):
                limits[name] = number(getattr(bound, name))
    match limits:
        case {"ge": low, "le": high}:
            return f" from {low} to {high}"
        case {"ge": low, "lt": high}:
            return f" from {low} to below {high}"
        case {"gt": low, "le": high}:
            return f" above {low}, at most {high}"
        case {"gt": low, "lt": high}:
            return f" above {low}, below {high}"
        case {"ge": low}:
            return f", at least {low}"
    return ""


@cache
def settings(algorithm: str | None = None) -> tuple[Declared, ...]:
    """Every setting of a run spec with that algorithm, or with any of them."""
    own: dict[str, Declared] = {}
    for name, one in algorithms().items():
        for setting in declared(one.section, "algorithm.") if algorithm in (None, name) else ():
            own.setdefault(setting.path, setting)
    return tuple(({one.path: one for one in declared(RunSpec, "")} | own).values())


def paths_called(name: str) -> list[str]:
    """Where a setting stands that TRL or another tool calls `name`; else all places with a setting of that name."""
    for one in settings():
        if name in (*one.setting.owned, *one.setting.aliases):
            return [one.path]
    return [one.path for one in settings() if one.path.partition(".")[2] == name]


@cache
def setting_names() -> tuple[str, ...]:
    """Every name that `paths_called` knows."""
    names: dict[str, None] = {}
    for one in settings():
        section, _, name = one.path.partition(".")
        own = (name,) if section and "." not in name else ()
        names |= dict.fromkeys((*one.setting.owned, *one.setting.aliases, *own))
    return tuple(name for name in names if name and "." not in name)
