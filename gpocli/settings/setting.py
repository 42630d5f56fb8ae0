"""What a field of a section declares beside its type: where its value goes, and how users write it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from gpocli.settings.section import Section

_NEVER: Any = object()  # null is a value that an `unless` may name


@dataclass(frozen=True, slots=True)
class Flag:
    """An option of the command line that gives a setting; its type and default are the field's.

    `null` is shown in place of a default that is null or empty, `complete` is what the shell offers, and `read` turns
    what was written into a value of the field; it raises ValueError where that is not possible.
    """

    name: str
    help: str
    short: str | None = None
    null: str | None = None
    metavar: str | None = None
    complete: Literal["filter", "reward"] | None = None
    read: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """Metadata of a field, put into its `Annotated`.

    Its value goes to `option` of the trainer config, a name of TRL's GRPOConfig or of the algorithm's own, where a
    dot leads into a mapping (`model_init_kwargs.dtype`): as it is, `null` in place of null, and not at all where it
    is `unless`. `derived` are options that are made of it, `owns` those that it decides without being passed on. All
    of these are refused under `trl`, so that a setting has one place; a section in a list gives lists. `aliases` are
    what other tools, papers or habit call it.
    """

    option: str | None = None
    null: Any = None
    unless: Any = _NEVER
    derived: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    owns: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    flag: Flag | None = None

    @property
    def owned(self) -> tuple[str, ...]:
        """Every option of the trainer config that the setting decides."""
        return (*([self.option] if self.option else []), *self.derived, *self.owns)

    def passed_on(self, value: Any) -> dict[str, Any]:
        """What the trainer config gets for `value`."""
        passed = {name: made(value) for name, made in self.derived.items()}
        if self.option is not None and value != self.unless:
            passed[self.option] = self.null if value is None else value
        return passed


@dataclass(frozen=True, slots=True)
class Declared:
    """A setting, the field that declares it, and its dotted path in a run spec."""

    path: str
    setting: Setting
    field: FieldInfo


def setting_of(section: type[Section], name: str) -> Setting:
    """What the field declares, or the one of that name in the class that `section` extends."""
    for owner in section.__mro__:
        own = owner.model_fields.get(name) if issubclass(owner, Section) else None
        for metadata in own.metadata if own else ():
            if isinstance(metadata, Setting):
                return metadata
    return Setting()


@cache
def declared(section: type[Section], above: str) -> tuple[Declared, ...]:
    """Every setting of `section` and of the sections in it, whose paths begin with `above`."""
    return tuple(_declared(section, above))


def _declared(section: type[Section], above: str) -> Iterator[Declared]:
    for name, own in section.model_fields.items():
        yield Declared(f"{above}{name}", setting_of(section, name), own)
        for inner, steps in _sections(own.annotation, f"{above}{name}."):
            yield from _declared(inner, steps)


def _sections(annotation: Any, above: str) -> Iterator[tuple[type[Section], str]]:
    if isinstance(annotation, type) and not get_origin(annotation) and issubclass(annotation, Section):
        yield annotation, above
    for inner in get_args(annotation):
        yield from _sections(inner, f"{above}0." if get_origin(annotation) is list else above)


def passed_on(section: Section) -> dict[str, Any]:
    """What the trainer config gets from a section and the sections in it."""
    passed: dict[str, Any] = {}
    for name in type(section).model_fields:
        value = getattr(section, name)
        passed |= setting_of(type(section), name).passed_on(value)
        if isinstance(value, Section):
            passed |= passed_on(value)
        elif isinstance(value, list) and value and isinstance(value[0], Section):
            each = [passed_on(item) for item in value]
            passed |= {option: [one[option] for one in each] for option in each[0]}
    return passed
