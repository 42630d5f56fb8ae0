"""What a field of a section declares beside its type: where its value goes, and how users write it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Panel = Literal["Algorithm", "Model, data and rewards", "Sampling and updates", "Run"]

_ALWAYS: Any = object()


@dataclass(frozen=True, slots=True)
class Flag:
    """An option of the command line that gives a setting; its type and default are the field's.

    `null` is shown in place of a default that is null or empty, `complete` is what the shell offers, and `read` turns
    what was written into a value of the field; it raises ValueError where that is not possible.
    """

    names: tuple[str, ...]
    help: str
    panel: Panel
    null: str | None = None
    metavar: str | None = None
    complete: Literal["filter", "reward"] | None = None
    read: Callable[[Any], Any] | None = None

    @property
    def name(self) -> str:
        """The long name."""
        return next(name for name in self.names if name.startswith("--"))


@dataclass(frozen=True, slots=True)
class Setting:
    """Metadata of a field, put into its `Annotated`.

    Its value goes to `option` of the trainer config, a name of TRL's GRPOConfig or of the algorithm's own, where a
    dot leads into a mapping (`model_init_kwargs.dtype`): as it is, `null` in place of null, and not at all where it
    is `unless`. `options` makes other options of it instead. What is named by `option` or in `owns` is refused under
    `trl`, so a setting has one place. `aliases` are what other tools, papers or habit call it.
    """

    option: str | None = None
    null: Any = None
    unless: Any = _ALWAYS
    options: Callable[[Any], Mapping[str, Any]] | None = None
    owns: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    flag: Flag | None = None

    @property
    def owned(self) -> tuple[str, ...]:
        """Every option of the trainer config that the setting decides."""
        return self.owns if self.option is None else (self.option, *self.owns)

    def passed_on(self, value: Any) -> Mapping[str, Any]:
        """What the trainer config gets for `value`."""
        if self.options is not None:
            return self.options(value)
        if self.option is None or value == self.unless:
            return {}
        return {self.option: self.null if value is None else value}
